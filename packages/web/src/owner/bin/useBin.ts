/** What is in the bin, newest first, with the names of what is shown. */
import type { BinEntry, BinItem } from '@blindkeep/client/owner'
import { forEachConcurrently } from '@blindkeep/protocol/concurrency'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useRefreshed } from '../../common/useRefreshed.ts'
import { useLive, useOwnerPages } from '../context.ts'

const NAMES_AT_ONCE = 3

export function useBin(shown: number) {
  const { owner } = useOwnerPages()
  const entries = useRefreshed<readonly BinEntry[]>(async (signal, onPart) => {
    const all: BinEntry[] = []
    for await (const page of owner.bin({ order: 'newest', signal })) {
      all.push(...page)
      onPart([...all])
    }
    return all
  })
  useLive(['quota.changed'], entries.reload)
  const names = useRef(new Map<string, BinItem>())
  const [, setRead] = useState(0)
  const visible = entries.value?.slice(0, shown)
  // What comes back to the bin is another entry.
  const keyOf = ({ id, deletedAt }: BinEntry) => `${id} ${deletedAt}`
  useEffect(() => {
    const closed = new AbortController()
    const unread = (visible ?? []).filter((entry) => !names.current.has(keyOf(entry)))
    void forEachConcurrently(unread, NAMES_AT_ONCE, async (entry) => {
      const item = await owner.describeBinEntry(entry, { signal: closed.signal })
      names.current.set(keyOf(entry), item)
      setRead((count) => count + 1)
    }).catch(() => undefined)
    return () => closed.abort()
  }, [visible?.map(keyOf).join()])
  return { ...entries, visible, nameOf: (entry: BinEntry) => names.current.get(keyOf(entry)) }
}
