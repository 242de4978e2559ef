/** Tables that scroll inside of themselves and show a page of their rows at a time. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { countText } from '../app/format.js'
import { Empty } from './states.js'

const rowsAtOnce = 25

export interface Column<Row> {
  readonly title: string
  readonly isNumber?: boolean
  cell(row: Row): ComponentChildren
}

/** Where the service has the pages; without it the rows are all there are. */
export interface ServerPages {
  /** From 1. */
  readonly page: number
  readonly lastPage: number
  readonly total?: number
  onPage(page: number): void
}

interface Props<Row> {
  /** What the rows are, for those who do not see the table. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly pages?: ServerPages
  /** Shown in place of a table without rows. */
  readonly none?: string
  keyOf(row: Row, index: number): string | number
  rowClass?(row: Row): string | undefined
}

export function DataTable<Row>(props: Props<Row>) {
  const { label, columns, rows, pages, none, keyOf, rowClass } = props
  const [ownPage, setOwnPage] = useState(1)
  const own = {
    page: ownPage,
    lastPage: Math.max(1, Math.ceil(rows.length / rowsAtOnce)),
    total: rows.length,
    onPage: setOwnPage,
  }
  const { page, lastPage, total, onPage } = pages ?? own
  useEffect(() => {
    if (ownPage > own.lastPage) setOwnPage(own.lastPage)
  }, [ownPage, own.lastPage])
  if (rows.length === 0) return <Empty title={none ?? 'No data'} />
  const shown = pages ? rows : rows.slice((page - 1) * rowsAtOnce, page * rowsAtOnce)
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys. */}
      <section class="scroll" aria-label={label} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map(({ title, isNumber }) => (
                <th key={title} scope="col" class={isNumber ? 'number' : undefined}>
                  {title || <span class="unseen">Actions</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, index) => (
              <tr key={keyOf(row, index)} class={rowClass?.(row)}>
                {columns.map(({ title, isNumber, cell }) => (
                  <td key={title} class={isNumber ? 'number' : undefined}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {lastPage > 1 && (
        <nav class="pages" aria-label={`Pages of ${label}`}>
          <button type="button" class="quiet" disabled={page <= 1} onClick={() => onPage(page - 1)}>
            Previous
          </button>
          <span aria-live="polite">
            Page {page} of {lastPage}
            {total !== undefined && <span class="dim"> · {countText(total)} rows</span>}
          </span>
          <button
            type="button"
            class="quiet"
            disabled={page >= lastPage}
            onClick={() => onPage(page + 1)}
          >
            Next
          </button>
        </nav>
      )}
    </div>
  )
}
