/** A proof is given out once it holds: read and checked as others do. */
import { utf8 } from '@blindkeep/protocol/bytes'
import type { FileDescription } from '../seal/fileHeader.ts'
import type { PinnedKeys } from '../verify/pinnedKeys.ts'
import { checkFile, checkSigned, type FileCheck } from './checkProof.ts'
import { type SavedParts, type SavedReceipt, savedReceipt } from './makeOpening.ts'
import { parseProof } from './readProof.ts'

interface ProofParts extends SavedParts, Omit<FileCheck, 'proof' | 'signed'> {
  readonly pins: PinnedKeys
  /** The origin that is expected of the server, if one is. */
  readonly serverId?: string | undefined
}

export interface CheckedProof {
  /** To save, as JSON. SECRET: with the sealed bytes it opens this file, and nothing else. */
  readonly proof: SavedReceipt
  /** What a checker reads in it. */
  readonly described: FileDescription
}

/** Reads the whole file. Throws what `checkFile` throws. */
export async function checkedProof({ receipt, pins, file, serverId, ...check }: ProofParts): Promise<CheckedProof> {
  const proof = savedReceipt({ receipt, pins, file })
  const read = parseProof(utf8(JSON.stringify(proof)))
  const signed = await checkSigned(read, { keys: pins, serverId })
  return { proof, described: await checkFile({ ...check, proof: read, signed }) }
}
