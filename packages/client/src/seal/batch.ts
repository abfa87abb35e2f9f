/**
 * The files that a guest sends in one go are a batch. Each of them says so in its sealed header, so only guest and
 * owner can tell. It is a claim like the name: a reader that cannot read it passes it over, as older clients do, and
 * still opens the file.
 */
import { toHex } from '@blindkeep/protocol/bytes'
import { OPAQUE_ID_PATTERN } from '@blindkeep/protocol/ids'
import { ID_BYTES, MAX_BATCH_FILES } from '@blindkeep/protocol/suites'
import type { Environment } from '../ground/environment.ts'

export interface Batch {
  /** 128 random bits as 32 lowercase hex characters, the same for all files of one go. */
  readonly id: string
  /** From 0. Only an order: positions may repeat, have gaps, and be missing. */
  readonly index?: number | undefined
  /** How many files the go had when it began. Fewer may have arrived, or be left. */
  readonly count?: number | undefined
}

/** The members of a header. */
export interface BatchHeader {
  readonly batch?: string
  readonly batch_index?: number
  readonly batch_count?: number
}

const idPattern = new RegExp(OPAQUE_ID_PATTERN, 'u')

export function newBatchId({ randomBytes }: Pick<Environment, 'randomBytes'>): string {
  return toHex(randomBytes(ID_BYTES))
}

/** Leaves out a position and a count that no reader would take. */
export function batchHeaderOf(batch: Batch | undefined): BatchHeader {
  if (batch === undefined) return {}
  const { id, index, count } = batch
  return {
    batch: id,
    ...(isIndex(index) ? { batch_index: index } : {}),
    ...(isCount(count) ? { batch_count: count } : {}),
  }
}

/** What is not of the form is as absent: without a readable id there is no batch. */
export function batchHeaderIn(fieldOf: (field: keyof BatchHeader) => unknown): BatchHeader {
  const [batch, index, count] = [fieldOf('batch'), fieldOf('batch_index'), fieldOf('batch_count')]
  if (!isBatchId(batch)) return {}
  return {
    batch,
    ...(isIndex(index) ? { batch_index: index } : {}),
    ...(isCount(count) ? { batch_count: count } : {}),
  }
}

export function batchOf({ batch: id, batch_index: index, batch_count: count }: BatchHeader): Batch | undefined {
  return id === undefined ? undefined : { id, index, count }
}

function isBatchId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value)
}

function isIndex(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < MAX_BATCH_FILES
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_BATCH_FILES
}
