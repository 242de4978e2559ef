import { useState } from 'preact/hooks'

interface Props {
  /** What is copied; a function where making it costs something. */
  readonly text: string | (() => string)
  readonly label?: string
}

/** Copies, and says so. Where the page may not reach the clipboard, such as by plain HTTP, the text is selected in a field. */
export function CopyButton({ text, label = 'Copy' }: Props) {
  const [said, setSaid] = useState<string | null>(null)
  const copy = async () => {
    const given = typeof text === 'string' ? text : text()
    setSaid((await toClipboard(given)) ? 'Copied' : 'Copy blocked by the browser')
    setTimeout(() => setSaid(null), 1_500)
  }
  return (
    <button type="button" class="quiet" onClick={() => void copy()}>
      <span aria-live="polite">{said ?? label}</span>
    </button>
  )
}

async function toClipboard(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }
  // Pages of other hosts by plain HTTP have no clipboard but this.
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'unseen'
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  return isCopied
}
