/** The Node that goes into a program, as `program/node.json` pins it. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './projectFiles.ts'

export interface PinnedNode {
  readonly version: string
  /** As Node calls its archives. */
  readonly system: string
  /** Of the file `bin/node`. */
  readonly sha256: string
  /** The day on which a person compared the digest with the archive of nodejs.org; null before that. */
  readonly compared_with_nodejs_org: string | null
}

export const PINNED_NODE: PinnedNode = JSON.parse(readFileSync(join(ROOT, 'tools', 'program', 'node.json'), 'utf8'))
/** A package of the registry, which is not Node's own, has put it there. */
const INSTALLED = join(ROOT, 'node_modules', 'node', 'bin', 'node')

/** In which a program of this Node is released. */
export function programArchive(version: string): string {
  return `blindkeep-${version}-${PINNED_NODE.system}.tar.gz`
}

export class AnotherNode extends Error {}

/** Its path. Throws `AnotherNode`, with a line for people, if the installed one is another. */
export function installedNode(path = INSTALLED): string {
  const found = existsSync(path) ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'missing'
  if (found === PINNED_NODE.sha256) return path
  throw new AnotherNode(
    `${path} is not the Node ${PINNED_NODE.version} for ${PINNED_NODE.system} that tools/program/node.json pins: its SHA-256 is ${found}. No program is made of it. CONTRIBUTING.md, "Make a release", says how to pin another Node.`,
  )
}

/** Why no program may be released. Undefined if a person has compared the pinned digest. */
export function faultOfPinnedNode(): string | undefined {
  return PINNED_NODE.compared_with_nodejs_org === null
    ? `the digest of Node ${PINNED_NODE.version} in tools/program/node.json is the registry’s, and was not compared with nodejs.org: CONTRIBUTING.md, "Make a release", says how`
    : undefined
}
