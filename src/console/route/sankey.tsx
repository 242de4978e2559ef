/** The picture of a route: tokens as bars, pools as bands between them, as wide as the part of the input that they carry. */
import { sankey } from 'd3-sankey'
import { useMemo, useState } from 'preact/hooks'
import { isRaw, readable } from '../app/numbers.js'
import { networks, tokenAt } from '../app/tokens.js'
import { useWidth } from '../components/use-width.js'
import type { Flow, FlowChart, FlowToken } from './flow.js'

const bar = 12
const leastWidth = 460
/** Least height, in pixels, of a band that has its name on it. */
const leastNamed = 13

interface Props {
  readonly chart: FlowChart
  readonly protocols: readonly string[]
  /** What it is, for those who do not see it. */
  readonly label: string
  onPool(pool: string): void
}

export function Sankey({ chart, protocols, label, onPool }: Props) {
  const [box, wide] = useWidth()
  const [shown, setShown] = useState<Flow | null>(null)
  const width = Math.max(leastWidth, wide)
  const height = Math.min(520, Math.max(170, 60 + 34 * chart.flows.length))
  const laid = useMemo(() => layout(chart, width, height), [chart, width, height])
  if (!laid)
    return <p class="hint">No diagram: the route returns to a token it has already used.</p>
  return (
    <div ref={box}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys. */}
      <section class="scroll" aria-label={label} tabIndex={0}>
        <svg
          class="sankey"
          {...{ width, height }}
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          aria-label={inWords(chart)}
        >
          {laid.links.map((link) => {
            const thick = Math.max(1.5, link.width ?? 0)
            const [x0, x1] = [link.source.x1 ?? 0, link.target.x0 ?? 0]
            const [y0, y1] = [link.y0 ?? 0, link.y1 ?? 0]
            const middle = (x0 + x1) / 2
            // Beside the name of the token that it comes from.
            const named = x0 + 0.62 * (x1 - x0)
            const at = y0 + 0.68 * (y1 - y0)
            const series = (protocols.indexOf(link.flow.protocol) % 8) + 1
            const { pool } = link.flow
            const isNamed = thick >= leastNamed && x1 - x0 > 190
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: the table below has a button for each pool.
              <g
                key={`${link.flow.from} ${link.flow.to} ${link.flow.protocol} ${pool}`}
                class={`series-${series} ${pool ? 'band pool' : 'band'}`}
                onMouseEnter={() => setShown(link.flow)}
                onMouseLeave={() => setShown(null)}
                onClick={() => pool && onPool(pool)}
              >
                <title>{flowInWords(chart, link.flow)}</title>
                <path
                  d={`M${x0},${y0}C${middle},${y0} ${middle},${y1} ${x1},${y1}`}
                  stroke-width={thick}
                />
                {isNamed && (
                  <text x={named} y={at} dy="0.33em" text-anchor="middle">
                    {link.flow.protocol} {percentOf(link.flow.share)}
                  </text>
                )}
              </g>
            )
          })}
          {laid.nodes.map((node) => {
            const { x0 = 0, x1 = 0, y0 = 0, y1 = 0 } = node
            const isLast = x1 > width - bar - 1
            const x = isLast ? x0 - 6 : x1 + 6
            return (
              <g key={node.id} class="node">
                <rect x={x0} y={y0} width={x1 - x0} height={Math.max(1, y1 - y0)} rx={2} />
                <text x={x} y={(y0 + y1) / 2 - 3} text-anchor={isLast ? 'end' : 'start'}>
                  <tspan class="name">{symbolOf(node)}</tspan>
                  <tspan x={x} dy="1.2em" class="amount">
                    {amountText(node, node.amount)}
                  </tspan>
                  {isElsewhere(chart, node) && (
                    <tspan x={x} dy="1.2em" class="amount">
                      {chainName(node.chainId)}
                    </tspan>
                  )}
                </text>
              </g>
            )
          })}
        </svg>
      </section>
      <p class="hint picture-hint" aria-hidden="true">
        {shown
          ? flowInWords(chart, shown)
          : 'Hover over a band for its amounts; click it to exclude its pool.'}
      </p>
    </div>
  )
}

interface Link {
  readonly source: string
  readonly target: string
  readonly value: number
  readonly flow: Flow
}

/** Null where the flow is circular. */
function layout({ tokens, flows }: FlowChart, width: number, height: number) {
  const place = sankey<FlowToken, Link>()
    .nodeId(({ id }) => id)
    .nodeWidth(bar)
    .nodePadding(34)
    .extent([
      [0, 18],
      [width, height - 18],
    ])
  try {
    return place({
      nodes: tokens.map((one) => ({ ...one })),
      links: flows.map((flow) => ({ source: flow.from, target: flow.to, value: flow.part, flow })),
    }) as unknown as Laid
  } catch {
    return null
  }
}

interface Box {
  readonly x0?: number
  readonly x1?: number
  readonly y0?: number
  readonly y1?: number
}
interface Laid {
  readonly nodes: readonly (FlowToken & Box)[]
  readonly links: readonly {
    readonly source: Box
    readonly target: Box
    readonly y0?: number
    readonly y1?: number
    readonly width?: number
    readonly flow: Flow
  }[]
}

export const percentOf = (part: number) => `${Number((100 * part).toFixed(part < 0.1 ? 2 : 1))} %`

const symbolOf = ({ chainId, token }: FlowToken) =>
  tokenAt(chainId, token)?.symbol ?? `${token.slice(0, 6)}…`

const isElsewhere = ({ tokens }: FlowChart, { chainId }: FlowToken) =>
  tokens.some((one) => one.chainId !== chainId)

const chainName = (chainId: number) =>
  networks.value.find(({ id }) => id === chainId)?.name ?? `chain ${chainId}`

function amountText(node: FlowToken | undefined, value: bigint | null): string {
  if (!node || value === null) return ''
  const decimals = tokenAt(node.chainId, node.token)?.decimals ?? null
  const text = isRaw.value || decimals === null ? `${value}` : readable(value, decimals)
  return text
}

function flowInWords({ tokens }: FlowChart, flow: Flow): string {
  const [start, end] = [flow.from, flow.to].map((id) => tokens.find((one) => one.id === id))
  const amount = (node: FlowToken | undefined, value: bigint | null) =>
    `${amountText(node, value)} ${node ? symbolOf(node) : ''}`.trim()
  const where = flow.pool ? ` in ${flow.pool}` : ''
  return `${flow.protocol}: ${amount(start, flow.amountIn)} → ${amount(end, flow.amountOut)}, ${percentOf(flow.share)}${where}`
}

const inWords = (chart: FlowChart) => chart.flows.map((flow) => flowInWords(chart, flow)).join('; ')
