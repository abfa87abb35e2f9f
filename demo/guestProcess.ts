import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { SendProgress } from '@blindkeep/client/guest'
import type { GuestDone, GuestMessage, GuestOrder } from './guestMessages.ts'
import { peakMemory } from './memory.ts'

const GUEST = fileURLToPath(new URL('./guest.ts', import.meta.url))

interface GuestProcess {
  /** Resolves when the file has landed and its receipt is checked; rejects with the guest's error. */
  readonly done: Promise<GuestDone>
  /** SIGKILL. Returns the peak memory of the process, in bytes. */
  kill9(): Promise<number | undefined>
}

interface GuestWatch {
  readonly onProgress?: (progress: SendProgress) => void
  readonly onLimits?: (limits: Extract<GuestMessage, { is: 'limits' }>['limits']) => void
}

export function startGuest(order: GuestOrder, { onProgress, onLimits }: GuestWatch = {}): GuestProcess {
  // Plaintext and sealed bytes live for a moment; a small young generation frees their memory often.
  const flags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=2']
  const child = spawn(process.execPath, [...flags, GUEST], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const killWithParent = () => child.kill('SIGKILL')
  process.once('exit', killWithParent)
  const done = new Promise<GuestDone>((resolve, reject) => {
    child.on('message', (message: GuestMessage) => {
      if (message.is === 'limits') onLimits?.(message.limits)
      if (message.is === 'progress') onProgress?.(message.progress)
      if (message.is === 'done') resolve(message.done)
      if (message.is === 'failed') reject(new Error(`the guest failed: ${message.message}`))
    })
    child.once('error', reject)
    child.once('close', () => {
      process.removeListener('exit', killWithParent)
      reject(new Error('the guest’s process ended before its file had landed'))
    })
  })
  // A guest killed on purpose is no failure; a caller that awaits `done` still gets the error.
  done.catch(() => undefined)
  child.send(order)
  return {
    done,
    kill9: async () => {
      const peak = await peakMemory(child.pid ?? 0)
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
      return peak
    },
  }
}
