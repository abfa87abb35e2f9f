/** Files that have arrived and wait for the owner's decision: to save, to keep in an album, or to discard. */
import { useCallback, useState } from 'preact/hooks'
import { Button, Progress } from '../../common/controls/controls.tsx'
import { Icon } from '../../common/controls/icons.tsx'
import { OWN_FOCUS } from '../../common/drawing/keptPlace.ts'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { FindBar } from '../find/findBar.tsx'
import { useFinding } from '../find/findState.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { findTexts, inboxTexts } from '../ground/texts.ts'
import { useListKeys } from '../keys/listKeys.ts'
import { type OwnWork, useWork, useWorked } from '../work/work.ts'
import type { WorkItem } from '../work/workOrder.ts'
import { questionsOf } from './answers.ts'
import type { ListedDrop } from './dropList.ts'
import { totalOf } from './dropTexts.ts'
import { InboxDialogs, type OpenDialog } from './inboxDialogs.tsx'
import type { InboxDrops, InboxSnapshot } from './inboxDrops.ts'
import { InboxList } from './inboxList.tsx'
import { LinkFilter, useInboxLinks } from './linkFilter.tsx'
import { SavingStatus } from './savingStatus.tsx'
import { EMPTY_SELECTION, pruned, type Selection } from './selection.ts'
import { UnreadNotice } from './unreadNotice.tsx'
import { useDropSaving } from './useDropSaving.ts'
import { useFoundDrops } from './useFoundDrops.ts'
import { useInboxDrops } from './useInboxDrops.ts'
import { useKeptFocus } from './useKeptFocus.ts'
import { markOf, newestOf, useVisit } from './useVisit.ts'
import './inbox.css'

const ORDERS = ['newest', 'oldest', 'name', 'sender', 'largest', 'smallest'] as const

export function InboxPage() {
  const text = useText(inboxTexts)
  const findText = useText(findTexts)
  const { state, onState } = useFinding()
  const { inbox, snapshot } = useInboxDrops()
  const { drops, isListed, error } = snapshot
  const links = useInboxLinks()
  const { visits, view } = useVisit(useOwnerPages(), drops)
  const [selection, setSelection] = useState<Selection>(EMPTY_SELECTION)
  const [dialog, setDialog] = useState<OpenDialog>()
  const work = useInboxWork(inbox)
  const saving = useDropSaving()
  const { ofLink, shown, entries, ...found } = useFoundDrops({ inbox, drops, links, state, view })
  const part = useKeptFocus(entries)
  useListKeys(part)
  const actions = {
    onOpen: (item: ListedDrop) => {
      visits.markRead([item.dropId])
      setDialog({ kind: 'details', item })
    },
    onKeep: (of: readonly ListedDrop[]) => setDialog({ kind: 'keep', items: of }),
    onDiscard: (of: readonly ListedDrop[]) => setDialog({ kind: 'discard', items: of }),
    onDownload: (item: ListedDrop) => {
      visits.markRead([item.dropId])
      saving.save(item)
    },
    onZip: (of: readonly ListedDrop[], title: string) => {
      visits.markRead(of.map(({ dropId }) => dropId))
      saving.saveMany(of, title, questionsOf(of, links.askedOf))
    },
  } as const

  return (
    <div class="stack inbox-page" ref={part} {...OWN_FOCUS}>
      <Heading snapshot={snapshot} />
      {error !== undefined && <ErrorNotice error={error} onRetry={inbox.reload} />}
      {drops.length === 0 && (isListed ? <EmptyInbox /> : error === undefined && <Progress label={text.listing} />)}
      {drops.length > 0 && (
        <>
          <UnreadNotice items={drops} onRetry={inbox.reload} />
          <FindBar
            {...{ state, onState, ...found }}
            what="files"
            filters="inbox"
            orders={ORDERS}
            shown={shown.length}
            of={ofLink.length}
          >
            {drops.some((drop) => markOf(view, drop) !== undefined) && (
              <Button kind="quiet" onClick={() => visits.markAllRead(newestOf(drops) ?? '')}>
                {findText.markRead}
              </Button>
            )}
          </FindBar>
          <LinkFilter
            items={drops}
            isListed={isListed}
            labels={links.labels}
            link={state.link}
            onLink={(link) => onState({ link })}
          />
          {shown.length > 0 && (
            <InboxList
              {...actions}
              entries={entries}
              lookingIn={snapshot.lookingIn}
              markOf={(item) => markOf(view, item)}
              links={links}
              readName={inbox.readName}
              readBatch={inbox.readBatch}
              selection={pruned(
                selection,
                shown.map(({ dropId }) => dropId).filter((id) => !work.isBusy(id)),
              )}
              onSelection={setSelection}
              isBusy={work.isBusy}
              isSaving={saving.now !== undefined}
            />
          )}
        </>
      )}
      {saving.dialog}
      <SavingStatus saving={saving} isHidden={dialog?.kind === 'details'} />
      <InboxDialogs
        {...actions}
        dialog={dialog}
        items={drops}
        links={links}
        readName={inbox.readName}
        work={work}
        saving={saving}
        onClose={() => setDialog(undefined)}
      />
    </div>
  )
}

/** What it has kept or discarded leaves the list at once. */
function useInboxWork(inbox: InboxDrops): OwnWork {
  const onWorked = useCallback(
    (item: WorkItem) => {
      if (item.do === 'keep' || item.do === 'discard') inbox.remove(item.id)
    },
    [inbox],
  )
  useWorked(onWorked)
  return useWork()
}

interface HeadingProps {
  readonly snapshot: InboxSnapshot
}

function Heading({ snapshot: { drops, isListed } }: HeadingProps) {
  const text = useText(inboxTexts)
  const format = useText(formats)
  return (
    <div class="row apart">
      <h1 tabIndex={-1}>{text.title}</h1>
      <p class="soft">
        <span role="status">{drops.length > 0 && (isListed ? text.waiting(drops.length) : text.listing)}</span>
        {/* It changes with each name that is read, which is nothing to read out. */}
        {drops.length > 0 && isListed && ` · ${totalOf(drops, text, format)}`}
      </p>
    </div>
  )
}

function EmptyInbox() {
  const text = useText(inboxTexts)
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
