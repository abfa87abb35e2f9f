import { type Asked, askedBy } from '@blindkeep/client/questions'
import { useCallback, useEffect } from 'preact/hooks'
import { Button } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { visibleName } from '../../common/names/visibleName.ts'
import { useRefreshed } from '../../common/work/useRefreshed.ts'
import { useLive, useOwnerPages } from '../ground/ownerPages.ts'
import { inboxTexts } from '../ground/texts.ts'
import type { ListedDrop } from './dropList.ts'

export const ALL_LINKS = ''

export type LinkLabels = (opaqueId: string) => string

export interface InboxLinks {
  readonly labels: LinkLabels
  /** What a link asks its guests, as far as it can be read: the same object until the links change. */
  readonly askedOf: (opaqueId: string) => Asked | undefined
}

/** Without the links, files have neither labels nor marks, and no notice offers to try again. */
const RETRY_MS = 10_000

export function useInboxLinks(): InboxLinks {
  const { owner } = useOwnerPages()
  const text = useText(inboxTexts)
  const { value: links, error, reload } = useRefreshed(() => owner.listLinks())
  useLive(['link.changed'], reload)
  useEffect(() => {
    if (error === undefined) return undefined
    const timer = setTimeout(reload, RETRY_MS)
    return () => clearTimeout(timer)
  }, [error, reload])
  const labels = useCallback(
    (wanted: string) => {
      if (links === undefined) return '…'
      const link = links.find(({ opaqueId }) => opaqueId === wanted)
      if (link === undefined) return text.linkGone
      return visibleName(link.label) ?? text.linkUnnamed
    },
    [links, text],
  )
  const askedOf = useCallback((wanted: string) => askedBy(links?.find(({ opaqueId }) => opaqueId === wanted)), [links])
  return { labels, askedOf }
}

interface LinkFilterProps {
  readonly items: readonly ListedDrop[]
  /** Otherwise more files follow. */
  readonly isListed: boolean
  readonly labels: LinkLabels
  readonly link: string
  readonly onLink: (opaqueId: string) => void
}

/** Shown only when there are several links to choose from, or when the filter hides files. */
export function LinkFilter({ items, isListed, labels, link, onLink }: LinkFilterProps) {
  const text = useText(inboxTexts)
  const counts = new Map<string, number>()
  for (const { opaqueId } of items) counts.set(opaqueId, (counts.get(opaqueId) ?? 0) + 1)
  if (link !== ALL_LINKS && !counts.has(link))
    return !isListed ? null : (
      <div class="row">
        <p>{text.emptyFilter}</p>
        <Button kind="quiet" onClick={() => onLink(ALL_LINKS)}>
          {text.showAll}
        </Button>
      </div>
    )
  if (counts.size < 2) return null
  return (
    <label class="filter">
      <span class="small soft">{text.filter}</span>
      <select value={link} onChange={(event) => onLink(event.currentTarget.value)}>
        <option value={ALL_LINKS}>{text.allLinks(items.length)}</option>
        {[...counts].map(([opaqueId, count]) => (
          <option key={opaqueId} value={opaqueId}>
            {text.linkOption(labels(opaqueId), count)}
          </option>
        ))}
      </select>
    </label>
  )
}
