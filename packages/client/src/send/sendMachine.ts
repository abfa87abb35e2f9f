/**
 * The next step while a sealed file is sent: a pure function of the state and the last event. `sendBlob.ts` performs
 * the steps. The machine resumes where the server says. The bytes are the same whatever the server says, so a malicious
 * server never learns a key; and it can waste only a few times the size of the file. An honest one keeps a chunk as a
 * whole or not at all: a chunk that was not kept is a try, of which there are MAX_TRIES in a row, and only a whole
 * chunk ends the row. Any other offset is a stray, of which there are MAX_STRAYS in all.
 */
import type { UploadId } from '@blindkeep/protocol/ids'
import { type AnswerError, NetworkError, ProblemError } from '../http/errors.ts'
import { MAX_SENDING_RETRY_AFTER_SECONDS, retryWaitMs } from '../http/retry.ts'
import {
  type ChunkSizing,
  chunkEnd,
  halved,
  type SegmentGrid,
  sizingAfter,
  sizingBelow,
  startSizing,
} from './chunkSizing.ts'
import type { ChunkRange } from './chunksAhead.ts'
import { type SendStopReason, stopReasonOf } from './sendError.ts'

/** Finishing may hash the whole file again after a restart of the server, which takes long for a large file. */
const POLL_MS = { first: 100, max: 10_000 }
const MAX_POLLS = 1_000
/** How often in one sending the server may go on elsewhere than at the start of the last chunk or behind its end. */
const MAX_STRAYS = 4

type Position =
  /** No known session. */
  | { readonly at: 'start' }
  /** There is a session, and its status is unknown. */
  | { readonly at: 'unsure' }
  | { readonly at: 'open'; readonly offset: number }
  /** The server has all bytes and is still processing them. */
  | { readonly at: 'finishing' }
  | { readonly at: 'landed' }
  | { readonly at: 'stopped'; readonly reason: SendStopReason; readonly cause: SendFailure | undefined }

export type SendFailure = ProblemError | NetworkError | AnswerError

export interface SendMachine {
  readonly position: Position
  /** Bytes of the sealed file. */
  readonly size: number
  readonly segments: SegmentGrid
  readonly uploadId: UploadId | undefined
  readonly sizing: ChunkSizing
  /** Milliseconds to wait before the next step. */
  readonly waitMs: number
  /** Why the next step is another try. */
  readonly failure: SendFailure | undefined
  /** The highest offset that the server has reported. */
  readonly highestOffset: number
  /** The last chunk, if it was not acknowledged. */
  readonly unanswered: ChunkRange | undefined
  readonly strays: number
  readonly tries: number
  readonly polls: number
}

export type SendStep =
  | { readonly do: 'create' }
  | { readonly do: 'ask'; readonly uploadId: UploadId }
  | { readonly do: 'send'; readonly uploadId: UploadId; readonly offset: number; readonly end: number }
  | { readonly do: 'land'; readonly uploadId: UploadId }
  | { readonly do: 'stop'; readonly reason: SendStopReason; readonly cause: SendFailure | undefined }

export const SESSION_STATES = ['open', 'finishing', 'landed', 'failed'] as const
export type SessionState = (typeof SESSION_STATES)[number]

export type SendEvent =
  | { readonly is: 'created'; readonly uploadId: UploadId; readonly suggestedChunkBytes: number }
  | { readonly is: 'status'; readonly state: SessionState; readonly offset: number }
  | { readonly is: 'kept'; readonly offset: number; readonly sentBytes: number; readonly tookMs: number }
  /** `sentBytes` if a chunk was being sent. */
  | { readonly is: 'failed'; readonly failure: SendFailure; readonly sentBytes?: number }

interface SendStart {
  readonly size: number
  readonly segments: SegmentGrid
  readonly uploadId: UploadId | undefined
  /** Used until the session's own answer. */
  readonly suggestedChunkBytes: number
}

export function startSending({ size, segments, uploadId, suggestedChunkBytes }: SendStart): SendMachine {
  return {
    position: uploadId === undefined ? { at: 'start' } : { at: 'unsure' },
    size,
    segments,
    uploadId,
    sizing: startSizing(size, suggestedChunkBytes),
    waitMs: 0,
    failure: undefined,
    highestOffset: 0,
    unanswered: undefined,
    strays: 0,
    tries: 0,
    polls: 0,
  }
}

export function nextStep(machine: SendMachine): SendStep {
  const { position, uploadId } = machine
  if (position.at === 'stopped') return { do: 'stop', reason: position.reason, cause: position.cause }
  if (uploadId === undefined) return { do: 'create' }
  switch (position.at) {
    case 'start':
      return { do: 'create' }
    case 'unsure':
    case 'finishing':
      return { do: 'ask', uploadId }
    case 'open':
      return { do: 'send', uploadId, offset: position.offset, end: endOf(machine, position.offset) }
    case 'landed':
      return { do: 'land', uploadId }
  }
}

function endOf({ size, sizing, segments }: SendMachine, offset: number): number {
  const end = offset + sizing.bytes
  return end >= size ? size : chunkEnd(offset, end, segments)
}

/** The state after an event. `random`, below 1, is the jitter that keeps clients from returning together. */
export function after(machine: SendMachine, event: SendEvent, random: number): SendMachine {
  const now = { ...machine, waitMs: 0, failure: undefined }
  switch (event.is) {
    case 'created':
      return {
        ...now,
        uploadId: event.uploadId,
        sizing: startSizing(now.size, event.suggestedChunkBytes),
        position: { at: 'unsure' },
        tries: 0,
      }
    case 'status':
      return afterStatus(now, event, machine.failure)
    case 'kept':
      return {
        ...withOffset({ ...now, unanswered: undefined }, event.offset),
        sizing: sizingAfter(now.sizing, event.sentBytes, event.tookMs),
        // The server acknowledges the last chunk only once the drop has landed.
        position: event.offset === now.size ? { at: 'landed' } : { at: 'open', offset: event.offset },
      }
    case 'failed':
      return afterFailure(now, event, random)
  }
}

type Status = Extract<SendEvent, { is: 'status' }>

/** `failure`: why the client has asked, if a try failed. */
function afterStatus(machine: SendMachine, { state, offset }: Status, failure: SendFailure | undefined): SendMachine {
  switch (state) {
    case 'landed':
      return { ...machine, position: { at: 'landed' }, highestOffset: machine.size }
    case 'failed':
      return stopped(machine, 'session_failed')
    case 'open':
      if (offset < machine.size) return resumed(machine, offset, failure)
      return polled(withOffset(machine, offset))
    case 'finishing':
      return polled(withOffset(machine, machine.size))
  }
}

/** Goes on where the server says, but only MAX_STRAYS times where no honest one would. */
function resumed(machine: SendMachine, offset: number, failure: SendFailure | undefined): SendMachine {
  const { unanswered, highestOffset, strays } = machine
  const isStray = unanswered !== undefined && offset !== unanswered.offset && offset < unanswered.end
  if (!isStray) return { ...withOffset(machine, offset), position: { at: 'open', offset } }
  if (strays === MAX_STRAYS) return stopped(machine, 'server_unavailable', failure)
  const highest = Math.max(highestOffset, offset)
  return { ...machine, position: { at: 'open', offset }, highestOffset: highest, strays: strays + 1 }
}

function withOffset(machine: SendMachine, offset: number): SendMachine {
  return offset > machine.highestOffset ? { ...machine, highestOffset: offset, tries: 0 } : machine
}

function polled(machine: SendMachine): SendMachine {
  const polls = machine.polls + 1
  if (polls > MAX_POLLS) return stopped(machine, 'server_unavailable')
  const waitMs = Math.min(POLL_MS.max, POLL_MS.first * 2 ** (polls - 1))
  return { ...machine, position: { at: 'finishing' }, polls, waitMs }
}

type Failed = Extract<SendEvent, { is: 'failed' }>

function afterFailure(before: SendMachine, event: Failed, random: number): SendMachine {
  const { failure, sentBytes } = event
  const machine = sentBytes === undefined ? before : { ...before, unanswered: sentChunk(before, sentBytes) }
  const problem = failure instanceof ProblemError ? failure : undefined
  const reason = problem === undefined ? undefined : stopReasonOf(problem)
  if (reason !== undefined) return stopped(machine, reason, failure)
  if (problem?.status === 413)
    return sentBytes === undefined ? stopped(machine, 'refused', failure) : afterTooLarge(machine, sentBytes, failure)
  const resumeAt = problem?.code === 'error.upload.session_closed' ? undefined : problem?.offset
  if (problem?.status === 409 && sentBytes !== undefined && resumeAt !== undefined && resumeAt < machine.size) {
    const next = resumed(machine, resumeAt, failure)
    // The server has kept more than before, so there is no reason to wait.
    const isProgress = next.highestOffset > machine.highestOffset && next.strays === machine.strays
    return isProgress || next.position.at === 'stopped' ? next : retried(next, failure, random)
  }
  const isCut = failure instanceof NetworkError && sentBytes !== undefined
  const sizing = isCut ? halved(machine.sizing) : machine.sizing
  const position: Position = machine.uploadId === undefined ? { at: 'start' } : { at: 'unsure' }
  return retried({ ...machine, sizing, position }, failure, random)
}

function sentChunk({ position }: SendMachine, sentBytes: number): ChunkRange | undefined {
  return position.at === 'open' ? { offset: position.offset, end: position.offset + sentBytes } : undefined
}

function afterTooLarge(machine: SendMachine, sentBytes: number, failure: SendFailure): SendMachine {
  const sizing = sizingBelow(machine.sizing, sentBytes)
  return sizing === undefined ? stopped(machine, 'chunk_refused', failure) : { ...machine, sizing }
}

function retried(machine: SendMachine, failure: SendFailure, random: number): SendMachine {
  const tries = machine.tries + 1
  const waitMs = retryWaitMs({ tries, failure, random, maxRetryAfterSeconds: MAX_SENDING_RETRY_AFTER_SECONDS })
  return waitMs === undefined ? stopped(machine, 'server_unavailable', failure) : { ...machine, tries, waitMs, failure }
}

function stopped(machine: SendMachine, reason: SendStopReason, cause?: SendFailure): SendMachine {
  return { ...machine, position: { at: 'stopped', reason, cause } }
}
