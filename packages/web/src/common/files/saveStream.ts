/** Downloads a stream to a file. An incomplete or tampered stream leaves no file that looks complete. */
import { safeName } from '@blindkeep/client/safeName'
import { download } from './download.ts'

export interface SaveOptions {
  /** Bytes so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface SaveTarget {
  /**
   * Resolves when the complete file is at its place. Rejects with the error of the stream or the signal's reason, and
   * then keeps no byte of the stream, because a file counts as checked only after its last byte.
   */
  save(content: ReadableStream<Uint8Array>, options?: SaveOptions): Promise<void>
  /** There is nothing to save after all: removes what the question for the place has made. */
  abandon(): Promise<void>
}

/**
 * Asks where to save, in browsers that can ask. Call this function in the same task as the click, and open the stream
 * afterwards. Undefined when the person has dismissed the question. A stranger may have chosen `name`.
 */
export async function chooseSaveTarget(name: string): Promise<SaveTarget | undefined> {
  const suggestedName = safeName(name)
  const { showSaveFilePicker } = globalThis as SaveFilePicker
  if (showSaveFilePicker === undefined) return downloadTarget(suggestedName)
  try {
    return fileTarget(await showSaveFilePicker.call(globalThis, { suggestedName }))
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
    // A browser may refuse to ask here, for example inside a frame or because of an administrator's policy.
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

/** Writes a temporary file of the browser, which replaces the chosen one after an end without error. */
export function fileTarget(file: SavedFile): SaveTarget {
  return {
    async save(content, { onProgress, signal } = {}) {
      try {
        // The pipe aborts the writer when reading fails, which deletes the temporary file.
        await content.pipeThrough(counted(onProgress)).pipeTo(await file.createWritable(), signal && { signal })
      } catch (error) {
        await removeEmpty(file)
        throw error
      }
    },
    abandon: () => removeEmpty(file),
  }
}

/** The file picker has already created an empty file, which would look like a finished download. */
async function removeEmpty(file: SavedFile): Promise<void> {
  try {
    if ((await file.getFile()).size === 0) await file.remove?.()
  } catch {
    // A file that cannot be removed stays empty.
  }
}

/**
 * For browsers that cannot ask where to save, and for many files at once, where one question for each file is too much.
 * The browser collects the file (most browsers keep a large file on the disk) and downloads it when the stream has
 * ended without an error. `name` must be a safe name.
 */
export function downloadTarget(name: string): SaveTarget {
  return {
    async save(content, { onProgress, signal } = {}) {
      const { readable, writable } = counted(onProgress)
      const collecting = new Response(readable, { headers: { 'Content-Type': 'application/octet-stream' } }).blob()
      // The browser's error for a failed stream does not name the cause. The pipe rejects with the cause itself.
      const [piped, collected] = await Promise.allSettled([content.pipeTo(writable, signal && { signal }), collecting])
      for (const outcome of [piped, collected]) if (outcome.status === 'rejected') throw outcome.reason
      download(await collecting, name)
    },
    abandon: async () => undefined,
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
