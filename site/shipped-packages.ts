/**
 * Packages whose code lies in the pages of dist/site, which the package and the image carry. The list is here by hand, so
 * that `npm run sbom` needs no build of the site; a build ends with an error where it is not what the pages contain.
 */
export const shippedPackages: readonly string[] = [
  '@vue/reactivity',
  '@vue/runtime-core',
  '@vue/runtime-dom',
  '@vue/shared',
  '@vueuse/core',
  '@vueuse/integrations',
  '@vueuse/shared',
  'focus-trap',
  'mark.js',
  'minisearch',
  'tabbable',
  'vite',
  'vitepress',
]

interface BuiltFile {
  /** Of a chunk: the modules that were joined into it, by their paths. */
  readonly modules?: Readonly<Record<string, { readonly renderedLength: number }>>
}

/** A plugin of Vite that compares the list with what the pages get. VitePress builds them for its own rendering, too. */
export function checkShippedPackages() {
  let isForBrowsers = false
  return {
    name: 'check-shipped-packages',
    configResolved({ build }: { readonly build: { readonly ssr: unknown } }) {
      isForBrowsers = !build.ssr
    },
    generateBundle(_options: unknown, files: Readonly<Record<string, BuiltFile>>) {
      if (isForBrowsers) refuseOthers(packagesIn(Object.values(files)))
    },
  }
}

/** Names of the packages that have a part in these files. */
function packagesIn(files: readonly BuiltFile[]): ReadonlySet<string> {
  const modules = files.flatMap((file) => Object.entries(file.modules ?? {}))
  const names = modules.flatMap(([path, { renderedLength }]) => {
    if (renderedLength === 0) return []
    // Its own modules have no path.
    if (path.startsWith('\0vite/')) return ['vite']
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? []
    return name === undefined ? [] : [name]
  })
  return new Set(names)
}

function refuseOthers(found: ReadonlySet<string>): void {
  const unlisted = [...found].filter((name) => !shippedPackages.includes(name))
  const absent = shippedPackages.filter((name) => !found.has(name))
  if (unlisted.length + absent.length === 0) return
  throw new Error(
    'site/shipped-packages.ts is not what the pages contain. ' +
      `Add: ${unlisted.join(', ') || 'none'}. Remove: ${absent.join(', ') || 'none'}.`,
  )
}
