import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { baseUrlBefore } from '../common/baseUrl.ts'
import { download } from '../common/download.ts'
import { trustedWorkerUrl } from '../common/trustedUrl.ts'
import type { Answer, Command, Snapshot } from './messages.ts'
import workerUrl from './worker.ts?worker&url'

const PAGE_PATH = /\/u\/[^/]*\/?$/
const OPAQUE_ID = /\/u\/([^/]*)\/?$/

export interface Guest {
  /** Undefined until the worker has said something. */
  readonly snapshot: Snapshot | undefined
  /** `start`: the worker never came up. */
  readonly broken: 'start' | 'later' | undefined
  readonly tell: (command: Command) => void
}

/** Starts the worker after the first paint, tells it what the page's address is, and draws what it says. */
export function useGuest(isWanted: boolean): Guest {
  const [snapshot, setSnapshot] = useState<Snapshot>()
  const [broken, setBroken] = useState<Guest['broken']>()
  const worker = useRef<Worker>(undefined)
  useEffect(() => {
    if (!isWanted) return
    const started = startWorker()
    let hasSpoken = false
    started.onmessage = ({ data }: MessageEvent<Answer>) => {
      hasSpoken = true
      if (data.is === 'snapshot') setSnapshot(data.snapshot)
      else if (data.is === 'document') download(new Blob([data.json], { type: 'application/json' }), data.name)
      else setBroken('later')
    }
    // A script that this browser can't read, or that did not come.
    started.onerror = () => setBroken(hasSpoken ? 'later' : 'start')
    worker.current = started
    return () => started.terminate()
  }, [isWanted])
  const tell = useCallback((command: Command) => worker.current?.postMessage(command), [])
  return { snapshot, broken, tell }
}

function startWorker(): Worker {
  const worker = new Worker(trustedWorkerUrl(new URL(workerUrl, location.href)), { type: 'module' })
  const command: Command = {
    do: 'open',
    link: {
      baseUrl: baseUrlBefore(location, PAGE_PATH),
      opaqueId: OPAQUE_ID.exec(location.pathname)?.[1] ?? '',
      fragment: location.hash,
    },
  }
  worker.postMessage(command)
  return worker
}
