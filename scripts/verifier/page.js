/** What runs in the page that checks evidence: the verifier itself, without an EVM. Joined by scripts/bundle-verifier.mjs. */
import { verifyEvidence } from '../../src/verify/verify.ts'

const element = (id) => document.getElementById(id)

/** A file of evidence, or the one inside of an answer. */
function evidenceIn(content) {
  try {
    const { evidence } = JSON.parse(content)
    return evidence?.signature === undefined ? content : JSON.stringify(evidence)
  } catch {
    return content
  }
}

function stated(id) {
  const text = element(id).value.trim().toLowerCase()
  return text === '' ? undefined : text
}

async function check() {
  const [file] = element('file').files
  if (!file) return
  const [key, blockHash] = [stated('key'), stated('hash')]
  const report = await verifyEvidence(evidenceIn(await file.text()), {
    ...(key && { publicKeys: [key] }),
    ...(blockHash && { blockHash }),
  })
  show(report, { key, blockHash })
}

function proven({ accounts, slots, codes }) {
  return `${accounts.size} accounts, ${slots.size} slots, ${codes.size} codes`
}

function assumed({ isDelegated, assumed: words, transaction }) {
  const code = isDelegated ? `, and that it runs the code of ${transaction.to}` : ''
  return `${words.length} of the sender, besides ether for the gas${code}`
}

function show({ problem, file, header, state }, { key, blockHash }) {
  const { evidence } = file ?? {}
  const rows = evidence
    ? [
        ['chain', evidence.block.chainId],
        ['block', `${header?.number ?? 'unknown'}, ${evidence.block.hash}`],
        [
          'is it on the chain?',
          blockHash ? 'as the hash above says' : 'not known: give its hash above',
        ],
        ['signed by', file.publicKey],
        ['is it the service?', key ? 'as the key above says' : 'not known: give its key above'],
        ['proven', state ? proven(state) : 'nothing'],
        ['assumed', assumed(evidence.execution)],
        ['the answer says', `${evidence.answer.amountOut} of ${evidence.request.input.tokenOut}`],
        ['what it does', 'not checked here: forkroute verify runs the transaction'],
      ]
    : []
  const table = document.createElement('table')
  for (const [name, value] of rows) {
    const row = table.insertRow()
    const head = document.createElement('th')
    head.scope = 'row'
    head.textContent = name
    row.append(head)
    row.insertCell().textContent = value
  }
  const verdict = document.createElement('p')
  verdict.id = 'verdict'
  verdict.className = problem ? 'bad' : ''
  verdict.textContent = problem
    ? `Refused. ${problem.part}: ${problem.message}.`
    : 'Signature, header and state hold. What the transaction does was not run.'
  element('report').replaceChildren(verdict, table)
}

for (const id of ['file', 'key', 'hash']) element(id).addEventListener('change', () => void check())
