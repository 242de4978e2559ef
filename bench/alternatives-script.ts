/** Process of one alternative: given its node, then asked by messages. The role is the first argument. */
import { startAnvil, type TestAnvil } from '../test/support/anvil.js'
import {
  type Choice,
  type FromScript,
  type Question,
  type Role,
  sender,
  type ToScript,
} from './alternatives/contract.js'
import { chooseNaively } from './alternatives/naive.js'
import { createQuoter } from './alternatives/quoter.js'
import { placeCodes } from './alternatives/venues.js'
import { createPlainThread, type PlainFork } from './plain-fork.js'
import { exampleQuote } from './section.js'

type Start = Extract<ToScript, { kind: 'start' }>

interface Answerer {
  answer(question: Question): Promise<Choice>
  stop(): Promise<void>
}

/** One fork at a time: that of the block asked last. */
function oneFork<T extends { stop(): Promise<void> }>(start: (q: Question) => Promise<T>) {
  let held: { block: bigint; fork: T } | undefined
  return {
    async at(question: Question): Promise<T> {
      const block = question.pin.number
      if (held?.block !== block) {
        await held?.fork.stop()
        held = { block, fork: await start(question) }
      }
      return held.fork
    },
    stop: async () => held?.fork.stop(),
  }
}

const roles: Readonly<Record<Role, (start: Start) => Promise<Answerer>>> = {
  async naive(start) {
    const forks = forksWithCodes(start)
    return {
      answer: async (question) => chooseNaively(await forks.at(question), question),
      stop: forks.stop,
    }
  },
  async quoter(start) {
    const { nodeUrl, codes } = start
    if (!start.viaFork) {
      const choose = createQuoter({ codes, callsPerBatch: 40 })
      return { answer: (question) => choose(nodeUrl, question), stop: async () => {} }
    }
    const choose = createQuoter({ codes: {}, callsPerBatch: 1 })
    const forks = forksWithCodes(start)
    return {
      answer: async (question) => choose((await forks.at(question)).url, question),
      stop: forks.stop,
    }
  },
  async plain({ nodeUrl }) {
    const thread = await createPlainThread()
    const forks = oneFork<PlainFork>(({ pin }) => thread.fork(nodeUrl, pin))
    return {
      async answer(question) {
        const { tokenIn, tokenOut, amountIn } = question.trade
        const fork = await forks.at(question)
        const { tx, route } = await fork.quote({
          ...exampleQuote,
          fromAddress: sender,
          inputs: [{ token: tokenIn, amount: amountIn }],
          tokensOut: [tokenOut],
        })
        return { tx, route: route.map(({ protocol }) => protocol).join(', '), paths: [] }
      },
      stop: forks.stop,
    }
  },
}

function forksWithCodes({ nodeUrl, codes }: Start) {
  return oneFork(async ({ pin }): Promise<TestAnvil> => {
    const fork = await startAnvil([
      ...['--fork-url', nodeUrl, '--fork-block-number', String(pin.number), '--chain-id', '1'],
      ...['--no-storage-caching', '--no-rate-limit', '--no-mining'],
    ])
    await placeCodes(fork, codes)
    return fork
  })
}

const role = process.argv[2] as Role
let answerer: Answerer | undefined
const send = (message: FromScript) => process.send?.(message)

async function handle(message: ToScript): Promise<void> {
  if (message.kind === 'start') {
    answerer = await roles[role](message)
    send({ kind: 'ready' })
  } else if (message.kind === 'ask') {
    const choice = await answerer?.answer(message.question)
    if (choice) send({ kind: 'choice', choice })
  } else {
    await answerer?.stop()
    process.disconnect()
  }
}

process.on('message', (message: ToScript) => {
  handle(message).catch((error: Error) => send({ kind: 'failure', message: error.message }))
})
