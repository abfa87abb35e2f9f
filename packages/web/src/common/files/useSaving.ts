import { safeName } from '@blindkeep/client/safeName'
import { useEffect, useRef, useState } from 'preact/hooks'
import { chooseSaveTarget, downloadTarget, type SaveTarget } from './saveStream.ts'

export interface FileToSave {
  /** Need not be a safe name: saving makes it one. */
  readonly name: string
  readonly open: (signal: AbortSignal) => Promise<{
    readonly content: ReadableStream<Uint8Array>
    /** Bytes of the file. */
    readonly size: number
  }>
}

export interface SavingNow {
  /** The index in the list of files. */
  readonly index: number
  readonly name: string
  /** Between 0 and 1; undefined until the first byte. */
  readonly share: number | undefined
}

export interface Saving {
  /** The current download. */
  readonly now: SavingNow | undefined
  /**
   * Downloads one file after the other, and resolves with their number, which is smaller when the person has dismissed
   * the question or stopped. Rejects with the error of the first file that fails. Call it in the same task as the
   * click. While a job runs, it does nothing.
   */
  save(files: readonly FileToSave[], onSaved?: (index: number) => void): Promise<number>
  stop(): void
}

/** Runs one download job at a time. It stops when the component is removed. */
export function useSaving(): Saving {
  const [now, setNow] = useState<SavingNow>()
  const running = useRef<AbortController>(undefined)
  const stop = () => running.current?.abort()
  useEffect(() => stop, [])

  async function save(files: readonly FileToSave[], onSaved?: (index: number) => void): Promise<number> {
    if (running.current !== undefined) return 0
    const controller = new AbortController()
    running.current = controller
    const { signal } = controller
    let saved = 0
    try {
      for (const [index, file] of files.entries()) {
        const target = files.length === 1 ? await chooseSaveTarget(file.name) : downloadTarget(safeName(file.name))
        if (target === undefined) break
        await saveOne({ file, target, signal, onNow: (next) => signal.aborted || setNow({ index, ...next }) })
        saved++
        onSaved?.(index)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      running.current = undefined
      setNow(undefined)
    }
    return saved
  }

  return { now, save, stop }
}

interface SaveOne {
  readonly file: FileToSave
  readonly target: SaveTarget
  readonly signal: AbortSignal
  readonly onNow: (now: Omit<SavingNow, 'index'>) => void
}

async function saveOne({ file: { name, open }, target, signal, onNow }: SaveOne): Promise<void> {
  onNow({ name, share: undefined })
  const { content, size } = await opened(open, signal, target)
  await target.save(content, {
    signal,
    onProgress: (bytes) => onNow({ name, share: size === 0 ? 1 : Math.min(1, bytes / size) }),
  })
}

async function opened(
  open: FileToSave['open'],
  signal: AbortSignal,
  target: SaveTarget,
): ReturnType<FileToSave['open']> {
  try {
    signal.throwIfAborted()
    return await open(signal)
  } catch (error) {
    await target.abandon()
    throw error
  }
}
