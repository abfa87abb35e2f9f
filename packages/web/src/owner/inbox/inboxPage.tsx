/** Files that have arrived and wait for the owner's decision: to save, to keep in an album, or to discard. */
import type { InboxItem } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Progress } from '../../common/controls.tsx'
import { formatBytes } from '../../common/format.ts'
import { Icon } from '../../common/icons.tsx'
import type { Language } from '../../common/language.ts'
import { useRefreshed } from '../../common/useRefreshed.ts'
import { useLive, useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { useRoute } from '../route.ts'
import { UnreadNotice } from './unreadNotice.tsx'
import './inbox.css'
import { InboxDialogs, type OpenDialog } from './inboxDialogs.tsx'
import { InboxList, sealedSum } from './inboxList.tsx'
import { ALL_LINKS, LinkFilter, useLinkLabels } from './linkFilter.tsx'
import { SavingStatus } from './savingStatus.tsx'
import { EMPTY_SELECTION, pruned, type Selection } from './selection.ts'
import { inboxText } from './texts.ts'
import { useDropSaving } from './useDropSaving.ts'
import { useDropWork } from './useDropWork.ts'
import { useHeadingFallback } from './useHeadingFallback.ts'
import { WorkStatus } from './workStatus.tsx'

export function InboxPage() {
  const { owner, language } = useOwnerPages()
  const text = inboxText(language)
  const { query } = useRoute()
  const [share, setShare] = useState<number>()
  const {
    value: items,
    error,
    reload,
  } = useRefreshed((signal) => owner.inbox({ signal, onProgress: (opened, of) => setShare(opened / of) }))
  const links = useLinkLabels()
  const [link, setLink] = useState(query.get('link') ?? ALL_LINKS)
  const [selection, setSelection] = useState<Selection>(EMPTY_SELECTION)
  const [dialog, setDialog] = useState<OpenDialog>()
  const work = useDropWork(reload)
  const saving = useDropSaving()
  const part = useHeadingFallback(items)
  useLive(['drop.landed', 'drop.adopted', 'drop.discarded'], reload)

  const newestFirst = items?.toReversed() ?? []
  const shown = link === ALL_LINKS ? newestFirst : newestFirst.filter(({ opaqueId }) => opaqueId === link)
  const actions = {
    onOpen: (item: InboxItem) => setDialog({ kind: 'details', item }),
    onKeep: (of: readonly InboxItem[]) => setDialog({ kind: 'keep', items: of }),
    onDiscard: (of: readonly InboxItem[]) => setDialog({ kind: 'discard', items: of }),
    onDownload: saving.save,
  } as const

  return (
    <div class="stack inbox-page" ref={part}>
      <Heading items={newestFirst} language={language} />
      {items === undefined && error === undefined && <Progress label={text.reading} value={share} />}
      {error !== undefined && <ErrorNotice error={error} language={language} onRetry={reload} />}
      <WorkStatus work={work} language={language} />
      <SavingStatus saving={saving} language={language} isHidden={dialog?.kind === 'details'} />
      {items?.length === 0 && <EmptyInbox language={language} />}
      {newestFirst.length > 0 && (
        <>
          <UnreadNotice items={newestFirst} language={language} onRetry={reload} />
          <LinkFilter items={newestFirst} labels={links} link={link} onLink={setLink} />
          {shown.length > 0 && (
            <InboxList
              {...actions}
              items={shown}
              labelOfLink={links}
              selection={pruned(
                selection,
                shown.map(({ dropId }) => dropId),
              )}
              onSelection={setSelection}
              isBusy={work.running !== undefined}
            />
          )}
        </>
      )}
      <InboxDialogs
        {...actions}
        dialog={dialog}
        items={items}
        labelOfLink={links}
        work={work}
        saving={saving}
        onClose={() => setDialog(undefined)}
      />
    </div>
  )
}

interface HeadingProps {
  readonly items: readonly InboxItem[]
  readonly language: Language
}

function Heading({ items, language }: HeadingProps) {
  const text = inboxText(language)
  return (
    <div class="row apart">
      <h1 tabIndex={-1}>{text.title}</h1>
      <p class="soft" role="status">
        {items.length > 0 && text.waiting(items.length, formatBytes(sealedSum(items), language))}
      </p>
    </div>
  )
}

function EmptyInbox({ language }: { readonly language: Language }) {
  const text = inboxText(language)
  return (
    <div class="card stack empty">
      <Icon name="inbox" />
      <h2>{text.emptyTitle}</h2>
      <p class="soft">{text.empty}</p>
      <a class="button primary" href="#/links">
        <Icon name="link" />
        {text.toLinks}
      </a>
    </div>
  )
}
