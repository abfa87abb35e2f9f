/** Words in a blob without content, in its header. Padding hides their length from the server. */
import { type Bytes, concatBytes } from '@blindkeep/protocol/bytes'
import { createByteReader, streamOf } from './byteReader.ts'
import type { Purpose } from './derive.ts'
import type { Header } from './header.ts'
import { openBlob } from './open.ts'
import { createSealer } from './seal.ts'
import { SealError } from './sealError.ts'

export interface HeaderSeal {
  /** 32 bytes. */
  readonly key: Uint8Array
  readonly purpose: Purpose
  /** 16 bytes. */
  readonly contextId: Uint8Array
  /** 16 bytes; random by default. */
  readonly salt?: Uint8Array | undefined
}

export type Words = Pick<Header, 'name' | 'note' | 'sender' | 'questions' | 'file_kinds'>

export async function sealWords(seal: HeaderSeal, words: Words): Promise<Bytes> {
  const sealer = await createSealer({ ...seal, header: { size: 0, ...words } })
  return concatBytes(sealer.prefix, await sealer.sealSegment(0, new Uint8Array(0)))
}

/** Throws `SealError`. */
export async function openWords({ key, purpose, contextId }: HeaderSeal, sealed: Uint8Array): Promise<Words> {
  const { header, content } = await openBlob(streamOf(sealed), { key, purpose, contextId })
  if (header.size > 0) throw new SealError('header_invalid', 'words have no content')
  // The end shows that nothing is missing or added.
  await createByteReader(content).read(1)
  const { name, note, sender, questions, file_kinds } = header
  return { name, note, sender, questions, file_kinds }
}
