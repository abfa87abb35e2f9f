/** What is in the bin and matches what is looked for, with the names of what is shown. */
import type { Findable } from '@blindkeep/client/find'
import { keyOfAsset, keyOfDrop } from '@blindkeep/client/findIndex'
import type { BinEntry, BinItem } from '@blindkeep/client/owner'
import { forEachConcurrently } from '@blindkeep/protocol/concurrency'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useRefreshed } from '../../common/work/useRefreshed.ts'
import { type FindState, needsNames } from '../find/findState.ts'
import { foundIn } from '../find/found.ts'
import type { NameIndex } from '../find/nameIndex.ts'
import { useNames } from '../find/useNames.ts'
import { useReading } from '../find/useReading.ts'
import { useLive, useOwnerPages } from '../ground/ownerPages.ts'
import { useWorked, useWorkReports } from '../work/work.ts'
import type { WorkItem } from '../work/workOrder.ts'

const NAMES_AT_ONCE = 3
const NONE: readonly BinEntry[] = []

/** At most `count` are shown. */
export function useBin(state: FindState, count: number) {
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
  useWorkReports(entries.reload)
  const all = useLeft(entries.value ?? NONE)
  const { names, isLoaded } = useNames()
  const { itemOf, read } = useItems(names)
  const reading = useReading({
    items: all,
    isKnown: (entry) => itemOf(entry) !== undefined || nameIn(names, entry) !== undefined,
    read,
    isWanted: isLoaded && needsNames(state),
  })
  const found = useMemo(() => {
    const findable = (entry: BinEntry): Findable => {
      const file = nameIn(names, entry) ?? itemOf(entry)?.file
      return { file, size: file?.size ?? entry.sealedBytes, at: entry.deletedAt }
    }
    return foundIn(all, state, findable)
  }, [all, JSON.stringify(state), names, isLoaded, reading.left])
  const visible = found.slice(0, count)
  const [, setRead] = useState(0)
  useEffect(() => {
    const closed = new AbortController()
    const unread = visible.filter((entry) => itemOf(entry) === undefined)
    void forEachConcurrently(unread, NAMES_AT_ONCE, async (entry) => {
      await read(entry, closed.signal)
      setRead((last) => last + 1)
    }).catch(() => undefined)
    return () => closed.abort()
  }, [visible.map(keyOf).join()])
  return { ...entries, value: entries.value && all, found, visible, reading, itemOf }
}

/** Without what work has restored or ended since they were listed. */
function useLeft(listed: readonly BinEntry[]): readonly BinEntry[] {
  const [gone, setGone] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => setGone(new Set()), [listed])
  const onWorked = useCallback(({ do: what, id }: WorkItem) => {
    if (what === 'restore' || what === 'end') setGone((last) => new Set([...last, id]))
  }, [])
  useWorked(onWorked)
  return useMemo(() => (gone.size === 0 ? listed : listed.filter(({ id }) => !gone.has(id))), [listed, gone])
}

/** What was read of entries, also why that failed. */
function useItems(names: NameIndex) {
  const { owner } = useOwnerPages()
  const items = useRef(new Map<string, BinItem>())
  const itemOf = useCallback((entry: BinEntry) => items.current.get(keyOf(entry)), [])
  async function read(entry: BinEntry, signal: AbortSignal): Promise<void> {
    const item = await owner.describeBinEntry(entry, { signal })
    items.current.set(keyOf(entry), item)
    const key = nameKeyOf(entry)
    if (key !== undefined && item.file !== undefined) names.note(key, item.file)
  }
  return { itemOf, read }
}

/** What comes back to the bin is another entry. */
const keyOf = ({ id, deletedAt }: BinEntry) => `${id} ${deletedAt}`

const nameKeyOf = ({ drop, asset }: BinEntry) => (drop ? keyOfDrop(drop) : asset && keyOfAsset(asset))

function nameIn(names: NameIndex, entry: BinEntry) {
  const key = nameKeyOf(entry)
  return key === undefined ? undefined : names.get(key)
}
