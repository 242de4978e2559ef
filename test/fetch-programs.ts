/** Before `npm test`: fetches the programs that its tests start and that this machine lacks, each once. */
import { toolFolder } from '../scripts/tools.js'
import { preparePostgres } from './support/backtest/postgres.js'
import { prepareKubectl } from './support/deploy/manifests.js'
import { prepareChromium } from './support/service/chromium.js'

await Promise.all([preparePostgres(), prepareChromium(), prepareKubectl(), toolFolder('prism')])
