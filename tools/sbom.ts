/**
 * The bill of materials of a release, as CycloneDX: what the packed packages contain or ask for, and nothing that only
 * builds and tests. npm knows each component (`npm sbom`); which of them are inside comes from the packages themselves.
 * The same packages and time give the same bytes.
 */
import { createHash } from 'node:crypto'
import type { Contained } from './licences.ts'

/** What `npm sbom` writes, as far as it is read here. */
export interface Bom {
  readonly metadata: object
  readonly components: readonly Component[]
  readonly dependencies: readonly Edge[]
}
interface Component {
  /** Name and version: `@scure/base@2.4.0`. */
  readonly 'bom-ref': string
}
interface Edge {
  readonly ref: string
  readonly dependsOn: readonly string[]
}

/** A packed package: what it asks for by name, and what it contains. */
export interface PackedPackage extends Contained {
  readonly dependencies: readonly string[]
  readonly contents: readonly Contained[]
}

/** Throws if npm does not know a package of others that is inside. `time` is the moment that the document gives. */
export function billOfMaterials(all: Bom, packed: readonly PackedPackage[], time: Date): object {
  const known = new Map(all.components.map((component) => [component['bom-ref'], component]))
  const edges = new Map(all.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  const found = new Map<string, readonly string[]>()
  const take = (ref: string) => {
    if (found.has(ref)) return
    if (!known.has(ref)) throw new Error(`npm sbom does not list ${ref}`)
    // Set before its dependencies, which may ask for it.
    found.set(ref, edges.get(ref) ?? [])
    for (const next of edges.get(ref) ?? []) take(next)
  }
  for (const { dependencies, ...own } of packed)
    for (const next of edges.get(refOf(own)) ?? []) if (dependencies.includes(nameOf(next))) take(next)
  for (const { contents } of packed)
    for (const ref of contents.map(refOf)) {
      if (!known.has(ref)) throw new Error(`npm sbom does not list ${ref}`)
      // Inside is what the bundler took, and not what it left out.
      if (!found.has(ref)) found.set(ref, edges.get(ref) ?? [])
    }
  for (const { dependencies, contents, ...own } of packed) {
    const asked = (edges.get(refOf(own)) ?? []).filter((ref) => dependencies.includes(nameOf(ref)))
    found.set(refOf(own), [...asked, ...contents.map(refOf)])
  }
  return document(all, { known, found, own: packed.map(refOf).sort(), version: packed[0]?.version ?? '', time })
}

interface Found {
  readonly known: ReadonlyMap<string, Component>
  readonly found: ReadonlyMap<string, readonly string[]>
  /** What a release consists of. */
  readonly own: readonly string[]
  readonly version: string
  readonly time: Date
}

function document({ metadata, ...all }: Bom, { known, found, own, version, time }: Found): object {
  const release = `blindkeep-release@${version}`
  const refs = [...found.keys()].sort()
  const components = refs.flatMap((ref) => known.get(ref) ?? [])
  const dependencies = [
    { ref: release, dependsOn: own },
    ...refs.map((ref) => ({
      ref,
      dependsOn: [...new Set(found.get(ref))].filter((next) => found.has(next)).sort(),
    })),
  ]
  const component = { 'bom-ref': release, type: 'application', name: 'blindkeep-release', version }
  const content = {
    ...all,
    metadata: { ...metadata, timestamp: time.toISOString(), component },
    components,
    dependencies,
  }
  return { ...content, serialNumber: `urn:uuid:${uuidOf(JSON.stringify({ ...content, serialNumber: '' }))}` }
}

function refOf({ name, version }: Contained): string {
  return `${name}@${version}`
}

function nameOf(ref: string): string {
  return ref.slice(0, ref.lastIndexOf('@'))
}

/** RFC 9562, version 8: a hash of the content. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
