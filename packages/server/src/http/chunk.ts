import { parseSha256Hex } from '@blindkeep/protocol/ids'
import { MAX_INTEGER } from '@blindkeep/protocol/wire'
import type { ChunkAnswer, Chunks } from '../domain/arrival/chunks.ts'
import { isRefusal, type Refuses } from '../domain/ground/refusals.ts'
import type { FindUpload } from '../domain/uploads/findUpload.ts'
import type { Upload } from '../ports/store.ts'
import type { Call } from './call.ts'
import { mediaType } from './gates.ts'
import { mostBytesOf } from './sockets/body.ts'

/**
 * What a chunk on its way holds, however large it is: 64 KiB that wait to be written and 64 KiB that its connection has
 * read ahead. More waits only while `adapters/filesystem/gathering.ts` has room.
 */
const CHUNK_HELD_BYTES = 128 * 1024

/** Answers a chunk of a guest's or an owner's session (specification, Append one chunk). */
export async function chunkAnswer(
  call: Pick<Call<'appendChunk'>, 'header' | 'hold' | 'body' | 'signal'>,
  { find, chunks, chunkBytesMax }: ChunkTarget,
): Promise<ChunkAnswer | ChunkFormRefusal> {
  const headers = mediaType('application/octet-stream', call.header) ?? chunkHeaders(call)
  // The session is judged before the headers. They are parsed first so that one read finds the session and the chunk at
  // their offset.
  const found = await chunks.find(find, isRefusal(headers) ? undefined : headers.offset)
  if (isRefusal(found)) return found
  if (isRefusal(headers)) return headers
  const overloaded = call.hold('chunk', mostBytesOf(call.header('content-length'), CHUNK_HELD_BYTES))
  if (overloaded !== undefined) return overloaded
  const body = call.body.pieces(chunkBytesMax)
  const answer = await chunks.append(found, { ...headers, body, signal: call.signal() })
  // The size of the body is judged before the chunk: the bytes that a refusal or a repeat did not need are read and
  // counted too.
  await call.body.skip(chunkBytesMax)
  return answer
}

interface ChunkTarget {
  /** Finds the session as the sender of the request may see it. */
  readonly find: FindUpload
  readonly chunks: Chunks
  readonly chunkBytesMax: number
}

type ChunkFormRefusal = Refuses<'media_type_unsupported' | 'offset_missing' | 'checksum_missing' | 'overloaded'>

function chunkHeaders({ header }: Pick<Call<'appendChunk'>, 'header'>) {
  const offset = header('x-service-offset')
  const checksum = parseSha256Hex(header('x-service-checksum') ?? '')
  if (offset === undefined || !/^\d{1,16}$/.test(offset) || Number(offset) > MAX_INTEGER)
    return { refused: 'offset_missing' } satisfies Refuses<'offset_missing'>
  if (checksum === undefined) return { refused: 'checksum_missing' } satisfies Refuses<'checksum_missing'>
  return { offset: Number(offset), checksum }
}

/** The state of a session, as headers. */
export function sessionHeaders({ receivedBytes, size, state }: Upload) {
  return {
    'X-Service-Offset': String(receivedBytes),
    'X-Service-Length': String(size),
    'X-Service-State': state,
  }
}
