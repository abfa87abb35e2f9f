import { integer, object, text } from '@blindkeep/protocol/schemas/shape'
import { type Static, Type } from 'typebox'
import type { Header } from './header.ts'

/** What is said of a file by whoever sends it. All of it is sealed. */
export interface FileFacts {
  readonly name?: string | undefined
  /** Media type. */
  readonly type?: string | undefined
  readonly note?: string | undefined
  readonly sender?: string | undefined
  /** RFC 3339. */
  readonly modifiedAt?: string | undefined
}

/** The sealed header of a file that is on its way, as a kept state has it: to go on, the very same one is sealed again. */
export const FileHeader = object('FileHeader', {
  size: integer('Plaintext bytes.'),
  name: Type.Optional(text('File name.')),
  type: Type.Optional(text('Media type.')),
  modified_at: Type.Optional(text('RFC 3339.')),
  note: Type.Optional(text('The sender’s note.')),
  sender: Type.Optional(text('The sender’s name.')),
})
export type FileHeader = Static<typeof FileHeader>

/** Without members that are absent, so that what is kept is the same before and after it was JSON. */
export function headerOf(size: number, { name, type, note, sender, modifiedAt }: FileFacts): FileHeader {
  return {
    size,
    ...(name === undefined ? {} : { name }),
    ...(type === undefined ? {} : { type }),
    ...(note === undefined ? {} : { note }),
    ...(sender === undefined ? {} : { sender }),
    ...(modifiedAt === undefined ? {} : { modified_at: modifiedAt }),
  }
}

/** What somebody says of a file: unverified, shown as text, made safe before it touches a disk. */
export interface FileDescription {
  readonly name: string | undefined
  readonly type: string | undefined
  readonly note: string | undefined
  readonly sender: string | undefined
  /** RFC 3339. */
  readonly modifiedAt: string | undefined
  /** Bytes of the file. */
  readonly size: number
}

export function descriptionOf({ size, name, type, note, sender, modified_at: modifiedAt }: Header): FileDescription {
  return { size, name, type, note, sender, modifiedAt }
}
