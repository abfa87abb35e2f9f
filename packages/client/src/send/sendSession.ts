import type { UploadId } from '@blindkeep/protocol/ids'
import { HEADERS } from '@blindkeep/protocol/wire'
import type { CallOptions } from '../http/callTypes.ts'
import { AnswerError } from '../http/errors.ts'
import { headerInteger } from '../http/refusal.ts'
import { SESSION_STATES, type SessionState } from './sendMachine.ts'
import type { SendPath } from './sendPath.ts'

interface AskedSession {
  readonly path: SendPath
  readonly uploadId: UploadId
  /** Bytes of the blob. */
  readonly size: number
}

/** The status of a session. Throws what a call throws, and `AnswerError` for the status of another blob. */
export async function askSession(
  { path, uploadId, size }: AskedSession,
  options: CallOptions,
): Promise<{ readonly state: SessionState; readonly offset: number }> {
  const headers = await path.ask(uploadId, options)
  const offset = headerInteger(headers, HEADERS.offset)
  const state = SESSION_STATES.find((name) => name === headers.get(HEADERS.state))
  const isOfThisBlob = headerInteger(headers, HEADERS.length) === size && offset !== undefined && offset <= size
  if (state === undefined || !isOfThisBlob)
    throw new AnswerError(path.names.ask, 'it has no valid status of this session')
  return { state, offset }
}
