/** Links between documents: each leads to a file of the repository, and to a heading that is in it. */
import { dirname, join, normalize } from 'node:path'
import { withoutCode, withoutFences } from './blocks.js'
import type { Finding } from './measure.js'

const link = /!?\[[^\]]*\]\(([^)\s]+)\)/g

/**
 * @param pages - text by path, of all pages whose headings may be linked.
 * @param exists - whether a path of the repository is a file or a folder.
 */
export function brokenLinks(
  path: string,
  pages: ReadonlyMap<string, string>,
  exists: (path: string) => boolean,
): Finding[] {
  const text = withoutCode(pages.get(path) ?? '')
  return [...text.matchAll(link)].flatMap((match) => {
    const target = match[1] ?? ''
    if (/^[a-z]+:/.test(target)) return []
    const line = text.slice(0, match.index).split('\n').length
    const [file = '', anchor] = target.split('#')
    const full = file === '' ? path : normalize(join(dirname(path), decodeURI(file)))
    if (!exists(full)) return [{ line, what: `${target}: there is no ${full}` }]
    const page = pages.get(full)
    if (anchor === undefined || page === undefined || anchorsOf(page).has(anchor)) return []
    return [{ line, what: `${target}: ${full} has no such heading` }]
  })
}

/** Anchors as GitHub makes them of headings: lower case, spaces as hyphens, a number where one is there twice. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, title = ''] of withoutFences(markdown).matchAll(/^#{1,6} (.*)$/gm)) {
    const slug = slugOf(title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
    let anchor = slug
    for (let copy = 1; anchors.has(anchor); copy++) anchor = `${slug}-${copy}`
    anchors.add(anchor)
  }
  return anchors
}

/** @param title - text of a heading without its links. */
export function slugOf(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')
}
