/** One question of a sample: the beginning of a blob, or one of its segments, and what the answer shows. */
import { findAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { prefixHash } from '../assets/knownPrefixes.ts'
import { readBlobRange, readBlobStart } from '../assets/readBlob.ts'
import { AnswerError, NetworkError, ProblemError } from '../http/errors.ts'
import { backoffMs, isTransient, randomOf } from '../http/retry.ts'
import { openPrefix, readPrefix } from '../seal/openHeader.ts'
import { SealError } from '../seal/sealError.ts'
import { type SegmentCipher, segmentBytes, segmentCountOf } from '../seal/sealedBlob.ts'
import type { SegmentOf, SignedOriginal } from './population.ts'

/**
 * `missing`: the server says that it has no such blob. `refused`: it refuses the bytes. `late`: 30 s without a byte, or
 * `MAX_ANSWER_MS` in all. `other_range`: an answer with other bytes than those that were asked for. `altered`: bytes
 * that do not open at this place of this file. `other_version`: it opens, and this client has seen that the signed file
 * begins otherwise.
 */
export type SampleFault = 'missing' | 'refused' | 'late' | 'other_range' | 'altered' | 'other_version'

export type SampleResult =
  /** `ofSignedVersion`: false if this client does not know the beginning of the signed file. */
  | { readonly is: 'good'; readonly ofSignedVersion: boolean }
  | { readonly is: 'bad'; readonly why: SampleFault }
  /** Neither a yes nor a no: the connection failed, the sample ended before, or the file was deleted meanwhile. */
  | { readonly is: 'not_asked' }

export const NOT_ASKED: SampleResult = { is: 'not_asked' }

/** For 1 MiB; a server that sends a byte now and then would otherwise never be late. */
export const MAX_ANSWER_MS = 600_000
/** A sample that cannot be asked is not a loss, so it is not waited for as long as for a download. */
const TRIES = 4

interface OpenedOriginal {
  readonly original: SignedOriginal
  readonly prefixBytes: number
  readonly cipher: SegmentCipher
  readonly ofSignedVersion: boolean
}

type Answered<Value> = { readonly value: Value } | { readonly result: SampleResult }

/** Throws what ends a sample: the signal's reason, the end of the session, a fault of this program. */
export async function openOriginal(
  ports: AssetPorts,
  original: SignedOriginal,
  signal: AbortSignal,
): Promise<Answered<OpenedOriginal>> {
  const { hash, opener, plaintextSize } = original
  const known = await ports.prefixes.of(hash)
  return await answered(ports, signal, async (signal) => {
    const prefix = await readPrefix((count) => readBlobStart(ports, { hash, count, signal }))
    const { header, cipher } = await openPrefix(prefix, opener)
    if (header.size > plaintextSize) throw new Fault('altered')
    if (known !== undefined && known !== prefixHash(prefix)) throw new Fault('other_version')
    return { original, prefixBytes: prefix.length, cipher, ofSignedVersion: known !== undefined }
  })
}

/** Throws as `openOriginal`. */
export async function askSegment(
  ports: AssetPorts,
  { original, prefixBytes, cipher, ofSignedVersion }: OpenedOriginal,
  { segment, signal }: Pick<SegmentOf, 'segment'> & { readonly signal: AbortSignal },
): Promise<SampleResult> {
  const { hash, plaintextSize } = original
  const { from, to } = segmentBytes({ prefixBytes, plaintextSize }, segment)
  const last = segment === segmentCountOf(plaintextSize) - 1
  const answer = await answered(ports, signal, async (signal) => {
    const sealed = await readBlobRange(ports, { hash, from, to, signal })
    if ((await cipher.open({ counter: segment + 1, last }, sealed)) === undefined) throw new Fault('altered')
    return { is: 'good', ofSignedVersion } as const
  })
  return 'value' in answer ? answer.value : answer.result
}

/** Whether the file is there with these bytes: another client may have deleted it. Throws as `openOriginal`. */
export async function isStated(
  ports: AssetPorts,
  { assetId, hash }: SignedOriginal,
  signal: AbortSignal,
): Promise<Answered<boolean>> {
  return await answered(ports, signal, async (signal) => {
    const found = await findAsset(ports.call, assetId, signal)
    return found?.blobs.some((blob) => blob.hash === hash) === true
  })
}

class Fault extends Error {
  readonly why: SampleFault
  constructor(why: SampleFault) {
    super(why)
    this.why = why
  }
}

async function answered<Value>(
  { environment }: AssetPorts,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Answered<Value>> {
  for (let tries = 1; ; tries++) {
    try {
      return { value: await inTime(environment, outer, work) }
    } catch (error) {
      outer.throwIfAborted()
      const mayPass = isTransient(error) && !(error instanceof NetworkError && error.failure === 'timeout')
      if (!mayPass || tries === TRIES) return { result: resultOf(error) }
    }
    await environment.wait(backoffMs(tries, randomOf(environment)), outer)
  }
}

async function inTime<Value>(
  { wait }: AssetPorts['environment'],
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const ended = new AbortController()
  const slow = new AbortController()
  const late = new Fault('late')
  wait(MAX_ANSWER_MS, ended.signal).then(
    () => slow.abort(late),
    () => undefined,
  )
  try {
    return await work(AbortSignal.any([outer, slow.signal]))
  } finally {
    ended.abort()
  }
}

/** Throws what says nothing about the bytes. */
function resultOf(error: unknown): SampleResult {
  if (error instanceof Fault) return { is: 'bad', why: error.why }
  if (error instanceof SealError) return { is: 'bad', why: 'altered' }
  if (error instanceof AnswerError) return { is: 'bad', why: 'other_range' }
  if (error instanceof NetworkError) {
    if (error.failure === 'timeout') return { is: 'bad', why: 'late' }
    return error.failure === 'redirected' ? { is: 'bad', why: 'refused' } : NOT_ASKED
  }
  if (!(error instanceof ProblemError) || error.status === 401) throw error
  // About the caller, not about the bytes.
  if (error.status === 429) return NOT_ASKED
  return { is: 'bad', why: error.code === 'error.blob.not_found' ? 'missing' : 'refused' }
}
