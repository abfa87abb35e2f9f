import { OPAQUE_ID_PATTERN } from '@blindkeep/protocol/ids'
import { integer, object, text } from '@blindkeep/protocol/schemas/shape'
import type { Static } from '@blindkeep/protocol/static'
import { Type } from 'typebox'
import { safeName } from '../ground/safeName.ts'
import { type Answers, answersText, hasSameAnswers, parseAnswers } from './answers.ts'
import { type Batch, batchHeaderOf, batchOf } from './batch.ts'
import type { Header } from './header.ts'

/** What a sender says about a file. All of it is sealed. */
export interface FileFacts {
  readonly name?: string | undefined
  /** Media type. */
  readonly type?: string | undefined
  readonly note?: string | undefined
  readonly sender?: string | undefined
  /** RFC 3339. */
  readonly modifiedAt?: string | undefined
  /** What a guest has answered. Empty: it saw the questions and answered none. */
  readonly fields?: Answers | undefined
}

/** The header of a file in a stored upload state. To resume, the client must seal exactly the same header again. */
export const FileHeader = object('FileHeader', {
  size: integer('Plaintext bytes.'),
  name: Type.Optional(text('File name.')),
  type: Type.Optional(text('Media type.')),
  modified_at: Type.Optional(text('RFC 3339.')),
  note: Type.Optional(text('The sender’s note.')),
  sender: Type.Optional(text('The sender’s name.')),
  fields: Type.Optional(text('The sender’s answers.')),
  batch: Type.Optional(text('The go that the file belongs to.', { pattern: OPAQUE_ID_PATTERN })),
  batch_index: Type.Optional(integer('Its position in it.')),
  batch_count: Type.Optional(integer('How many files the go has.', 1)),
})
export type FileHeader = Static<typeof FileHeader>

/**
 * Leaves absent members out, so that the header is the same before and after JSON. Throws `RangeError` for answers that
 * do not fit.
 */
export function headerOf(
  size: number,
  { name, type, note, sender, modifiedAt, fields }: FileFacts,
  batch?: Batch | undefined,
): FileHeader {
  return {
    size,
    ...(name === undefined ? {} : { name }),
    ...(type === undefined ? {} : { type }),
    ...(note === undefined ? {} : { note }),
    ...(sender === undefined ? {} : { sender }),
    ...(modifiedAt === undefined ? {} : { modified_at: modifiedAt }),
    ...(fields === undefined ? {} : { fields: answersText(fields) }),
    ...batchHeaderOf(batch),
  }
}

/** What the sender says about a file: unverified. Show it as plain text; only `safeName` may touch a disk. */
export interface FileDescription {
  readonly name: string | undefined
  /** The result of `safeName` for `name`, made once when the header is opened; undefined without a name. */
  readonly safeName: string | undefined
  readonly type: string | undefined
  readonly note: string | undefined
  readonly sender: string | undefined
  /** RFC 3339. */
  readonly modifiedAt: string | undefined
  /** Bytes of the file. */
  readonly size: number
  /** Of a drop: the files that its guest has sent in one go. */
  readonly batch?: Batch | undefined
  /** What a guest has answered, in the owner's order. Absent if the guest's page knew no questions. */
  readonly fields?: Answers | undefined
}

export function descriptionOf(header: Header): FileDescription {
  const { size, name, type, note, sender, modified_at: modifiedAt } = header
  const batch = batchOf(header)
  const fields = parseAnswers(header.fields)
  return {
    ...{ size, name, safeName: name === undefined ? undefined : safeName(name), type, note, sender, modifiedAt },
    ...(batch === undefined ? {} : { batch }),
    ...(fields === undefined ? {} : { fields }),
  }
}

/** Whether both say the same about a file. Not its batch, which is about others and stays out of albums. */
export function hasSameFacts(one: FileFacts, other: FileFacts): boolean {
  const { name, type, note, sender, modifiedAt } = one
  const isSame = name === other.name && type === other.type && note === other.note
  const isFrom = sender === other.sender && modifiedAt === other.modifiedAt
  return isSame && isFrom && hasSameAnswers(one.fields, other.fields)
}

export function isSameFile(one: FileDescription, other: FileDescription): boolean {
  return one.size === other.size && hasSameFacts(one, other)
}
