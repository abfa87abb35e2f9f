import type { LinkParts } from '@blindkeep/client/guest'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { baseUrlBefore } from '../common/address/baseUrl.ts'
import { trustedWorkerUrl } from '../common/address/trustedUrl.ts'
import { download } from '../common/files/download.ts'
import workerUrl from './engine/worker.ts?worker&url'
import type { Answer, Command, Snapshot } from './ground/messages.ts'

const PAGE_PATH = /\/u\/[^/]*\/?$/
const OPAQUE_ID = /\/u\/([^/]*)\/?$/

/** The link of a page that comes from this machine. */
export interface GivenLink {
  readonly parts: LinkParts
  /** With which the program passes requests on. */
  readonly token: string
}

interface Guest {
  /** Undefined until the worker has sent one. */
  readonly snapshot: Snapshot | undefined
  /** `start`: the worker has never started. */
  readonly broken: 'start' | 'later' | undefined
  readonly tell: (command: Command) => void
}

/** Starts the worker after the first paint, hands it the link, and returns its snapshots. */
export function useGuest(isWanted: boolean, given: GivenLink | undefined): Guest {
  const [snapshot, setSnapshot] = useState<Snapshot>()
  const [broken, setBroken] = useState<Guest['broken']>()
  const worker = useRef<Worker>(undefined)
  useEffect(() => {
    if (!isWanted) return
    const started = startWorker(given)
    let hasAnswered = false
    started.onmessage = ({ data }: MessageEvent<Answer>) => {
      hasAnswered = true
      if (data.is === 'snapshot') setSnapshot(data.snapshot)
      else if (data.is === 'document') download(new Blob([data.json], { type: 'application/json' }), data.name)
      else setBroken('later')
    }
    // The browser can't run the script, or could not load it.
    started.onerror = () => setBroken(hasAnswered ? 'later' : 'start')
    worker.current = started
    return () => started.terminate()
  }, [isWanted, given])
  const tell = useCallback((command: Command) => worker.current?.postMessage(command), [])
  return { snapshot, broken, tell }
}

function startWorker(given: GivenLink | undefined): Worker {
  const worker = new Worker(trustedWorkerUrl(new URL(workerUrl, location.href)), { type: 'module' })
  const command: Command = {
    do: 'open',
    link: given?.parts ?? {
      baseUrl: baseUrlBefore(location, PAGE_PATH),
      opaqueId: OPAQUE_ID.exec(location.pathname)?.[1] ?? '',
      fragment: location.hash,
    },
    localToken: given?.token,
  }
  worker.postMessage(command)
  return worker
}
