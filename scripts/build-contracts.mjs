/**
 * Compiles contracts/src with the pinned solc and writes src/executor/generated/contracts.ts.
 * Addresses and runtime code (immutables filled in) come from a real deployment on a local Anvil.
 * Addresses that users approve and that this replaces are added to src/executor/former-deployments.ts.
 * With --check nothing is written; the exit code is 1 when the committed file differs.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import solc from 'solc'
import { getContractAddress } from 'viem'

const require = createRequire(import.meta.url)
const root = fileURLToPath(new URL('..', import.meta.url))
const generated = 'src/executor/generated/contracts.ts'
const target = root + generated
const formerList = `${root}src/executor/former-deployments.ts`
const deploymentProxy = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
const zeroSalt = `0x${'0'.repeat(64)}`

/** Name to source file, and what the constructor of each deploys as its first child. */
const deployed = [
  { name: 'Router', file: 'Router.sol', child: { name: 'Executor', contract: 'Executor' } },
  { name: 'Delegate', file: 'Delegate.sol' },
  {
    name: 'WalletFactory',
    file: 'WalletFactory.sol',
    child: { name: 'Wallet', contract: 'Wallet' },
  },
  {
    name: 'DestinationReceiver',
    file: 'DestinationReceiver.sol',
    child: { name: 'DestinationExecutor', contract: 'Executor' },
  },
  { name: 'CallbackPayer', file: 'helpers/CallbackPayer.sol' },
  { name: 'UniswapV2Swapper', file: 'helpers/UniswapV2Swapper.sol' },
  { name: 'SolidlySwapper', file: 'helpers/SolidlySwapper.sol' },
  { name: 'UniswapV4Swapper', file: 'helpers/UniswapV4Swapper.sol' },
  { name: 'BalancerV3Swapper', file: 'helpers/BalancerV3Swapper.sol' },
  { name: 'UniswapV2Zapper', file: 'helpers/UniswapV2Zapper.sol' },
  { name: 'FlashLoans', file: 'helpers/FlashLoans.sol' },
  { name: 'Values', file: 'helpers/Values.sol' },
  { name: 'Caller', file: 'helpers/Caller.sol' },
  { name: 'UsedTags', file: 'helpers/UsedTags.sol' },
]

/** Deployed where it is wanted: no simulation places it, and no route needs it. */
const standalone = [{ name: 'OrderSettlement', file: 'orders/OrderSettlement.sol' }]

/** Deployed once for each value of these arguments of the constructor, which stand before those in `fixed`. */
const templates = [
  {
    name: 'ComposeLanding',
    file: 'ComposeLanding.sol',
    arguments: ['endpoint', 'pool'],
    fixed: ['DestinationReceiver'],
  },
  {
    name: 'CctpLanding',
    file: 'CctpLanding.sol',
    arguments: ['transmitter', 'messenger'],
    fixed: ['DestinationReceiver'],
  },
]

/** Never deployed: reads of a fork place their code where they are called. */
const readers = [
  { name: 'UniswapV4Quoter', file: 'helpers/UniswapV4Quoter.sol' },
  { name: 'BalancerV3Quoter', file: 'helpers/BalancerV3Quoter.sol' },
]

function compile() {
  const folder = `${root}contracts/src/`
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.sol'))
  const sources = Object.fromEntries(
    files
      .sort()
      .map((file) => [`contracts/src/${file}`, { content: readFileSync(folder + file, 'utf8') }]),
  )
  const input = {
    language: 'Solidity',
    sources,
    settings: {
      evmVersion: 'cancun',
      viaIR: true,
      optimizer: { enabled: true, runs: 1_000_000 },
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const load = (path) => ({ contents: readFileSync(`${root}node_modules/${path}`, 'utf8') })
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: load }))
  // 2394 only reminds that transient storage outlives a call; every use here is cleared.
  const problems = (output.errors ?? []).filter(({ errorCode }) => errorCode !== '2394')
  for (const { formattedMessage } of problems) console.error(formattedMessage)
  if (problems.length > 0) throw new Error('The contracts do not compile without a warning.')
  const contracts = Object.assign({}, ...Object.values(output.contracts))
  return (name) => ({
    abi: contracts[name].abi,
    initCode: `0x${contracts[name].evm.bytecode.object}`,
  })
}

/** Runs `use` with a JSON-RPC caller for a fresh Anvil. */
async function withAnvil(use) {
  const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const binary = require.resolve(`@foundry-rs/anvil-${platform}/bin/anvil${suffix}`)
  const anvil = spawn(binary, ['--port', '0', '--host', '127.0.0.1'])
  try {
    let url
    for await (const line of createInterface({ input: anvil.stdout })) {
      url = /Listening on (\S+)/.exec(line)?.[1]
      if (url) break
    }
    if (!url) throw new Error('Anvil did not start.')
    anvil.stdout.resume()
    await use(async (method, ...params) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const headers = { 'content-type': 'application/json' }
      const reply = await (await fetch(`http://${url}`, { method: 'POST', headers, body })).json()
      if (reply.error) throw new Error(`${method}: ${reply.error.message}`)
      return reply.result
    })
  } finally {
    anvil.kill('SIGKILL')
  }
}

/** Committed addresses of the contract: at HEAD, and in a merge on the other side too. None outside of a checkout. */
function committedAddresses(name) {
  const pattern = new RegExp(`^  ${name}: \\{\\n    address: '(0x[0-9a-f]{40})'`, 'm')
  return ['HEAD', 'MERGE_HEAD'].flatMap((commit) => {
    const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }
    const { stdout } = spawnSync('git', ['show', `${commit}:${generated}`], options)
    return pattern.exec(stdout ?? '')?.[1] ?? []
  })
}

/** Adds what is replaced to the list of former addresses, newest first, each once. */
function rememberReplaced(built) {
  let list = readFileSync(formerList, 'utf8')
  const today = new Date().toISOString().slice(0, 10)
  for (const { name, address } of built) {
    const head = `  ${name}: [\n`
    if (!list.includes(head)) continue
    for (const former of committedAddresses(name)) {
      if (former === address || list.includes(former)) continue
      list = list.replace(head, `${head}    { replaced: '${today}', address: '${former}' },\n`)
      console.log(`${name} ${former} is former: added to the list.`)
    }
  }
  writeFileSync(formerList, list)
}

/** Any addresses by which the arguments are found in the code. */
function markerOf(index) {
  return `0x${(0xc0de + index).toString(16).repeat(10)}`
}

/** Where a word that has the address lies in the code, bytes from its start. */
function placesOf(address, code) {
  const word = address.slice(2).padStart(64, '0')
  const places = []
  for (let at = code.indexOf(word); at >= 0; at = code.indexOf(word, at + 1)) {
    places.push((at - 2) / 2)
  }
  if (places.length === 0) throw new Error(`The code has no place for ${address}.`)
  return places
}

const artifact = compile()
const records = []
const standaloneRecords = []
const templateRecords = []
const readerRecords = []
await withAnvil(async (rpc) => {
  const [from] = await rpc('eth_accounts')
  const runtimeCode = async (name, address) => {
    const code = await rpc('eth_getCode', address, 'latest')
    if (code === '0x') throw new Error(`${name} was not deployed.`)
    return code
  }
  const deploy = async (initCode) => {
    const data = zeroSalt + initCode.slice(2)
    await rpc('eth_sendTransactionSync', { from, to: deploymentProxy, data })
    return getContractAddress({
      opcode: 'CREATE2',
      from: deploymentProxy,
      salt: zeroSalt,
      bytecode: initCode,
    }).toLowerCase()
  }
  for (const { name, child } of deployed) {
    const { abi, initCode } = artifact(name)
    const address = await deploy(initCode)
    records.push({
      name,
      abi,
      initCode,
      address,
      deployer: null,
      code: await runtimeCode(name, address),
    })
    if (!child) continue
    const childAddress = getContractAddress({ from: address, nonce: 1n }).toLowerCase()
    const code = await runtimeCode(child.name, childAddress)
    records.push({
      name: child.name,
      ...artifact(child.contract),
      address: childAddress,
      deployer: name,
      code,
    })
  }
  for (const { name } of standalone) {
    const { abi, initCode } = artifact(name)
    const address = await deploy(initCode)
    const code = await runtimeCode(name, address)
    standaloneRecords.push({ name, abi, initCode, address, deployer: null, code })
  }
  for (const { name, arguments: names, fixed } of templates) {
    const { abi, initCode } = artifact(name)
    const markers = names.map((_, index) => markerOf(index))
    const fixedAddresses = fixed.map((one) => records.find((record) => record.name === one).address)
    const words = [...markers, ...fixedAddresses].map((one) => one.slice(2).padStart(64, '0'))
    const code = await runtimeCode(name, await deploy(initCode + words.join('')))
    const places = names.map((argument, index) => [argument, placesOf(markers[index], code)])
    templateRecords.push({ name, abi, initCode, code, places, fixed })
  }
  for (const { name } of readers) {
    const { abi, initCode } = artifact(name)
    readerRecords.push({ name, abi, code: await runtimeCode(name, await deploy(initCode)) })
  }
})

const entryOf = ({ name, abi, initCode, address, deployer, code }) => `  ${name}: {
    address: '${address}',
    deployer: ${deployer ? `'${deployer}'` : 'null'},
    abi: ${JSON.stringify(abi)},
    initCode:
      '${initCode}',
    runtimeCode:
      '${code}',
  },
`
const entries = records.map(entryOf)
const standaloneEntries = standaloneRecords.map(entryOf)
const templateEntries = templateRecords.map(
  ({ name, abi, initCode, code, places, fixed }) => `  ${name}: {
    places: { ${places.map(([argument, list]) => `${argument}: [${list.join(', ')}]`).join(', ')} },
    fixedArguments: ['${fixed.join("', '")}'],
    abi: ${JSON.stringify(abi)},
    initCode:
      '${initCode}',
    runtimeCode:
      '${code}',
  },
`,
)
const readerEntries = readerRecords.map(
  ({ name, abi, code }) => `  ${name}: {
    abi: ${JSON.stringify(abi)},
    runtimeCode:
      '${code}',
  },
`,
)
const text = `// Written by scripts/build-contracts.mjs from contracts/src; solc ${solc.version()}.
// \`deployer\`: the contract whose constructor deploys this one; null: the deterministic deployment proxy.
export const contracts = {
${entries.join('')}} as const

// Contracts that a chain has only where somebody has put them there; no simulation places them.
export const standalone = {
${standaloneEntries.join('')}} as const

// Contracts with arguments of the constructor. \`places\`: of each argument in the runtime code, words of 32 bytes, bytes
// from its start. \`fixedArguments\`: addresses of contracts above, which follow it in the constructor.
export const templates = {
${templateEntries.join('')}} as const

// Contracts that are never deployed: reads of a fork place their code where they are called.
export const readers = {
${readerEntries.join('')}} as const
`

if (!process.argv.includes('--check')) {
  mkdirSync(new URL('.', `file://${target}`), { recursive: true })
  writeFileSync(target, text)
  rememberReplaced(records)
  for (const { name, address, code } of [...records, ...standaloneRecords]) {
    console.log(`${name.padEnd(20)} ${address} ${(code.length - 2) / 2} bytes`)
  }
} else if (readFileSync(target, 'utf8') !== text) {
  console.error(`${generated} differs: run npm run contracts:build.`)
  process.exitCode = 1
}
