/** Saves a file that arrives as a stream, so that nothing which looks whole is left of one that is not. */
import { safeName } from '@blindkeep/client/safeName'
import { download } from './download.ts'

export interface SaveOptions {
  /** Bytes so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface SaveTarget {
  /**
   * Resolves when the file is whole and where people find it. Rejects with what the stream fails with, or the signal's reason; then nothing of it is kept,
   * because the checks of a file hold only when its end has passed them.
   */
  save(content: ReadableStream<Uint8Array>, options?: SaveOptions): Promise<void>
}

/**
 * Asks where to save, in browsers that ask; call it in the very turn of the click, and open the file afterwards. Undefined when somebody has dismissed the
 * question. `name` may be a stranger's.
 */
export async function chooseSaveTarget(name: string): Promise<SaveTarget | undefined> {
  const suggestedName = safeName(name)
  const { showSaveFilePicker } = globalThis as SaveFilePicker
  if (showSaveFilePicker === undefined) return downloadTarget(suggestedName)
  try {
    return fileTarget(await showSaveFilePicker.call(globalThis, { suggestedName }))
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
    // A browser may have the question and refuse to ask it here, as inside a frame or by its administrator's word.
    return error.name === 'AbortError' ? undefined : downloadTarget(suggestedName)
  }
}

/** Not in TypeScript's library yet (WICG, File System Access). */
interface SaveFilePicker {
  readonly showSaveFilePicker?: (options: { readonly suggestedName: string }) => Promise<SavedFile>
}

interface SavedFile extends FileSystemFileHandle {
  readonly remove?: () => Promise<void>
}

/** Writes as it comes, into a file of the browser's own, which takes its place when all of it was good. */
function fileTarget(file: SavedFile): SaveTarget {
  return {
    async save(content, { onProgress, signal } = {}) {
      try {
        // Aborts the writing when reading fails, so that what was written until then is thrown away.
        await content.pipeThrough(counted(onProgress)).pipeTo(await file.createWritable(), signal && { signal })
      } catch (error) {
        await removeEmpty(file)
        throw error
      }
    },
  }
}

/** The question has made an empty file already, which would look like one that was saved. */
async function removeEmpty(file: SavedFile): Promise<void> {
  try {
    if ((await file.getFile()).size === 0) await file.remove?.()
  } catch {
    // What cannot be removed is empty still.
  }
}

/**
 * Where no browser asks, or where it would ask once for each of many files: the file is collected, by most browsers outside of the memory once it is large,
 * and handed over when all of it was good. `name` is a safe one.
 */
export function downloadTarget(name: string): SaveTarget {
  return {
    async save(content, { onProgress, signal } = {}) {
      const { readable, writable } = counted(onProgress)
      const collecting = new Response(readable, { headers: { 'Content-Type': 'application/octet-stream' } }).blob()
      // The browser's own words for a stream that has failed say nothing of why; the pipe fails with the reason itself.
      const [piped, collected] = await Promise.allSettled([content.pipeTo(writable, signal && { signal }), collecting])
      for (const outcome of [piped, collected]) if (outcome.status === 'rejected') throw outcome.reason
      download(await collecting, name)
    },
  }
}

function counted(onProgress: SaveOptions['onProgress']): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  let bytes = 0
  return new TransformStream({
    transform(piece, controller) {
      bytes += piece.length
      onProgress?.(bytes)
      controller.enqueue(Uint8Array.from(piece))
    },
  })
}
