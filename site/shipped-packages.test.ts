import { expect, test } from 'vitest'
import { checkShippedPackages, shippedPackages } from './shipped-packages.js'

const module = { renderedLength: 10 }
const modulesOf = (names: readonly string[]) =>
  Object.fromEntries(
    names.map((name) => [
      name === 'vite' ? '\0vite/preload-helper.js' : `/site/node_modules/${name}/index.js`,
      module,
    ]),
  )

function build(
  modules: Readonly<Record<string, { readonly renderedLength: number }>>,
  ssr = false,
) {
  const plugin = checkShippedPackages()
  plugin.configResolved({ build: { ssr } })
  plugin.generateBundle({}, { 'app.js': { modules }, 'style.css': {} })
}

test('a build with the listed packages passes, whatever else it left out or rendered for itself', () => {
  const modules = modulesOf(shippedPackages)
  expect(() =>
    build({
      ...modules,
      '/site/.pages/index.md': module,
      '/site/node_modules/unused/index.js': { renderedLength: 0 },
    }),
  ).not.toThrow()
  expect(() => build(modulesOf(['vue-server']), true)).not.toThrow()
})

test('a build with another package, or without a listed one, fails and names both', () => {
  const [first, ...others] = shippedPackages
  expect(() => build(modulesOf([...others, '@scope/new']))).toThrow(
    `Add: @scope/new. Remove: ${first}.`,
  )
})
