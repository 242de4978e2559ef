/** How a package of compiled contracts is pinned, and what is taken out of it. */
import type { Address } from '../../domain/primitives.js'

export interface ArtifactFile {
  readonly path: string
  readonly field: string
  /** Where the libraries lie that it calls: fully qualified name (`contracts/A.sol:A`) to address. */
  readonly libraries?: Readonly<Record<string, Address>>
}

export interface PinnedPackage {
  readonly name: string
  readonly version: string
  /** Subresource integrity that the registry states: the SHA-512 of the tarball. */
  readonly integrity: string
}

export interface ArtifactPackage extends PinnedPackage {
  /** Creation code: our key to the file in the tarball and the path of the field in it; of a script the constant. */
  readonly files: Readonly<Record<string, ArtifactFile>>
}
