/** Kubernetes manifests as kubectl makes them, and whether they are what Kubernetes takes. */
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import ts from 'typescript'
import { parseAllDocuments } from 'yaml'

export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  // biome-ignore lint/suspicious/noExplicitAny: checked as a whole by `mistakesIn`, then read field by field
  readonly [field: string]: any
}

/** @returns in the order of kubectl. */
export function kustomized(folder: string): Manifest[] {
  const text = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' })
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest)
}

/** `apps/v1` → `apps/v1`, `networking.k8s.io/v1` → `networking/v1`, `v1` → `core/v1`. */
function moduleOf(apiVersion: string): string {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion]
  return `kubernetes-types/${group?.split('.')[0]}/${version}`
}

/**
 * Compiles the manifests against the types of Kubernetes' own API document, as literals: fields that it does not know,
 * that it misses or that have another type are mistakes, however deep.
 */
export function mistakesIn(manifests: readonly Manifest[]): string[] {
  const source = manifests
    .map((manifest, index) => {
      const type = `import('${moduleOf(manifest.apiVersion)}').${manifest.kind}`
      return `export const manifest${index}: ${type} = ${JSON.stringify(manifest, null, 2)}\n`
    })
    .join('')
  const file = resolve('manifests.ts')
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  }
  const host = ts.createCompilerHost(options)
  const read = host.getSourceFile
  host.getSourceFile = (name, target, ...rest) =>
    name === file ? ts.createSourceFile(name, source, target) : read(name, target, ...rest)
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}
