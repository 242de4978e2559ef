/** The site as VitePress builds it: from copies of the documents, without a request to another host. */
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { slugOf } from '../../scripts/prose/links.js'
import { indexPath, linkInSite, outsideDocs, pathInSite, sidebarOf } from '../pages.js'
import { checkShippedPackages } from '../shipped-packages.js'

/** Tokens of markdown-it, in so far as links are concerned. */
interface Token {
  type: string
  readonly content: string
  readonly children: Token[] | null
  attrGet(name: string): string | null
  attrSet(name: string, value: string): void
}

interface MarkdownIt {
  readonly core: {
    readonly ruler: {
      after(
        before: string,
        name: string,
        rule: (state: {
          readonly tokens: Token[]
          /** `realPath` is that of the file where the page has another path in the site. */
          readonly env: { readonly path: string; readonly realPath?: string }
        }) => void,
      ): void
    }
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Copies of the documents by their paths in the repository: VitePress finds Vue from here, and not from the originals. */
const srcDir = join(root, 'site', '.pages')
const outDir = join(root, 'dist', 'site')
const base = '/docs/guide/'

function copyDocuments(): void {
  rmSync(srcDir, { recursive: true, force: true })
  for (const name of ['docs', ...outsideDocs]) {
    cpSync(join(root, name), join(srcDir, name), { recursive: true })
  }
  cpSync(join(root, 'src', 'console', 'icon.svg'), join(srcDir, 'public', 'icon.svg'))
}

function changeTexts(md: MarkdownIt): void {
  md.core.ruler.after('inline', 'texts-of-the-site', ({ tokens, env }) => {
    const from = relative(srcDir, env.realPath ?? env.path)
    for (const { children } of tokens) {
      if (!children) continue
      for (const token of children) {
        // The documents have no HTML: `RPC_URL_<chain id>` is a text.
        if (token.type === 'html_inline' && !token.content.startsWith('<!--')) token.type = 'text'
      }
      children.splice(0, children.length, ...withLinks(children, from))
    }
  })
}

/** What a link to source says stays as text. */
function withLinks(tokens: readonly Token[], from: string): Token[] {
  let isLeftOut = false
  return tokens.filter((token) => {
    if (token.type === 'link_open') {
      const href = linkInSite(from, token.attrGet('href') ?? '')
      isLeftOut = href === null
      if (href !== null) token.attrSet('href', href)
      return !isLeftOut
    }
    return !(token.type === 'link_close' && isLeftOut)
  })
}

/** The service forbids scripts within pages, so those that VitePress writes there become files. */
function withoutInlineScripts(html: string): string {
  const changed = html.replace(/<script(?: id="[\w-]+")?>([\s\S]*?)<\/script>/g, (_all, code) => {
    const hash = createHash('sha256').update(code).digest('hex').slice(0, 8)
    const name = `assets/inline.${hash}.js`
    mkdirSync(dirname(join(outDir, name)), { recursive: true })
    writeFileSync(join(outDir, name), code)
    return `<script src="${base}${name}"></script>`
  })
  const left = /<script(?![^>]* src=)[^>]*>|<style[ >]/.exec(changed)
  if (left) throw new Error(`A page has ${left[0]}, which the service forbids.`)
  return changed
}

copyDocuments()

export default {
  title: 'forkroute',
  description: 'Documents of forkroute',
  base,
  outDir,
  srcDir,
  head: [['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }]],
  rewrites: pathInSite,
  // Links lead to files, so that any server can have the site.
  cleanUrls: false,
  metaChunk: true,
  // Without a transition, which needs a style within the page.
  appearance: { disableTransition: false },
  markdown: {
    // The anchors of GitHub, which the links between the documents name.
    anchor: { slugify: slugOf },
    // Braces are parts of paths: `/networks/{chainId}`.
    attrs: { disable: true },
    config: changeTexts,
  },
  // The index of the search has 2 MB.
  vite: { build: { chunkSizeWarningLimit: 4000 }, plugins: [checkShippedPackages()] },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: sidebarOf(readFileSync(join(root, indexPath), 'utf8')),
    outline: [2, 3],
    externalLinkIcon: true,
  },
  transformHtml: withoutInlineScripts,
}
