/**
 * What becomes of the documents in the site: the paths of their pages, their links, and the sidebar. The folder owns how
 * the documents are shown and nothing of what they say. In go the documents of the repository, out come pages in
 * dist/site. VitePress ends the build where a link leads to no page; `npm run prose` looks at links to source, too.
 */
import { posix } from 'node:path'

/** Pages of the repository outside docs that are part of the site. */
export const outsideDocs = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md']

/** The index of the documents, which is the first page and the source of the sidebar. */
export const indexPath = 'docs/README.md'

/** Parts of the path at which the service has the site, `docs/guide`. The OpenAPI document lies above both. */
const depthOfSite = 2

/** The path of a page in the site, by its path in the repository. Both end in `.md`. */
export function pathInSite(path: string): string {
  return path === indexPath ? 'index.md' : path.replace(/^docs\//, '')
}

/**
 * @param from - the path of the page in the repository.
 * @param target - what its link names.
 * @returns what the link names in the site; null: it leads to source, which is no part of the site.
 */
export function linkInSite(from: string, target: string): string | null {
  if (/^([a-z]+:|#)/.test(target)) return target
  const [file = '', anchor] = target.split('#')
  const path = posix.join(posix.dirname(from), decodeURI(file))
  if (path === 'docs/openapi.json') {
    const depth = pathInSite(from).split('/').length - 1
    return `${'../'.repeat(depth + depthOfSite)}openapi.json`
  }
  const isPage = outsideDocs.includes(path) || /^docs\/.*\.md$/.test(path)
  if (!isPage) return null
  return `/${pathInSite(path)}${anchor === undefined ? '' : `#${anchor}`}`
}

export interface SidebarItem {
  readonly text: string
  readonly link?: string
  readonly items?: SidebarItem[]
  readonly collapsed?: boolean
}

/**
 * A group for each section of the index. A row of a table that has only a bold word begins a group within its section.
 * @param index - text of docs/README.md.
 */
export function sidebarOf(index: string): SidebarItem[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n')
      const items: SidebarItem[] = []
      let open = items
      for (const line of lines) {
        const group = /^\| \*\*(.+)\*\* \| *\|$/.exec(line)?.[1]
        if (group !== undefined) {
          open = []
          items.push({ text: capitalized(group), items: open })
        }
        open.push(...linksOf(line))
      }
      return { text: title, items, collapsed: title !== 'Guide' }
    })
}

function linksOf(line: string): SidebarItem[] {
  const links = [...line.matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)]
  return links.flatMap(([, text = '', target = '']) => {
    const link = linkInSite(indexPath, target)
    return link?.startsWith('/') ? { text: capitalized(text), link } : []
  })
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
