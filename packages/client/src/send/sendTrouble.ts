/** Why a server takes nothing for now, although another try may succeed. */
import { AnswerError, ProblemError } from '../http/errors.ts'

export type SendTrouble =
  /** There was no answer: the network is lost, or the server is down. */
  | 'no_connection'
  /** The server asks to wait, or has not finished after very many questions. */
  | 'busy'
  /** The server cannot reach its disk. */
  | 'storage_unavailable'
  /** The disk of the server is full. */
  | 'disk_full'
  /** The server has little room: the file waits until another one has landed or failed (`SendTurns`). */
  | 'little_room'
  /** The server, or something in front of it, answers with an error or with nonsense. */
  | 'server_failed'

/** `failure`: of the last try. Undefined if every try was answered well. */
export function sendTroubleOf(failure: unknown): SendTrouble {
  if (failure === undefined) return 'busy'
  if (failure instanceof AnswerError) return 'server_failed'
  if (!(failure instanceof ProblemError)) return 'no_connection'
  const { code, status } = failure
  if (code === 'error.storage.unavailable') return 'storage_unavailable'
  if (code === 'error.storage.full') return 'disk_full'
  return status < 500 || status === 503 || code === 'error.request.overloaded' ? 'busy' : 'server_failed'
}
