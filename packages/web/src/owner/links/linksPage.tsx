/** The owner's upload links: their limits and use, and the button for a new link. */
import type { Findable } from '@blindkeep/client/find'
import type { OwnLink } from '@blindkeep/client/owner'
import { parseInstant } from '@blindkeep/protocol/ids'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, Progress } from '../../common/controls/controls.tsx'
import { Icon } from '../../common/controls/icons.tsx'
import { useNow } from '../../common/drawing/useNow.ts'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { useRefreshed } from '../../common/work/useRefreshed.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { FindBar } from '../find/findBar.tsx'
import { useFinding } from '../find/findState.ts'
import { foundIn, offersOf } from '../find/found.ts'
import { GuestsNote } from '../ground/guestsNote.tsx'
import { useLive, useOwnerPages } from '../ground/ownerPages.ts'
import { linksTexts } from '../ground/texts.ts'
import { EditLink } from './editLink.tsx'
import { type LinkAct, LinkCard } from './linkCard.tsx'
import { usualName } from './linkDraft.ts'
import { NewLink } from './newLink.tsx'
import { refusedIn } from './refusedLinks.ts'
import { RevokeLink } from './revokeLink.tsx'
import { ShowLink } from './showLink.tsx'
import './links.css'

type OpenDialog = { readonly kind: 'new' } | { readonly kind: LinkAct; readonly opaqueId: string }

const ORDERS = ['newest', 'oldest', 'name'] as const

/** `setTimeout` accepts at most 31 bits. */
const MAX_TIMER_MS = 2 ** 31 - 1

export function LinksPage() {
  const { owner } = useOwnerPages()
  const text = useText(linksTexts)
  const nowMs = useNow(owner.now)
  const {
    value: links,
    error,
    isPart,
    reload,
  } = useRefreshed<readonly OwnLink[]>((signal, onPart) => owner.listLinks({ order: 'newest', signal, onPart }))
  const dismissing = useAction()
  const dismiss = async ({ opaqueId }: OwnLink) => {
    await owner.changeLink(opaqueId, {})
    // The focused button is removed.
    document.querySelector('h1')?.focus()
    reload()
  }
  const [dialog, setDialog] = useState<OpenDialog>()
  useLive(['link.changed', 'drop.landed', 'drop.adopted', 'drop.discarded'], reload)
  useReloadWhenOneExpires(links, owner.now, reload)

  const finding = useFinding()
  const found = foundIn(
    offersOf(links ?? [], finding.state, ({ state }) => state !== 'live'),
    finding.state,
    findableOf,
  )
  const live = found.filter(({ state }) => state === 'live')
  const past = found.filter(({ state }) => state !== 'live')
  const hadRefused = useRef(false)
  hadRefused.current ||= refusedIn(past) > 0
  const shownLink = dialog?.kind === 'new' ? undefined : links?.find(({ opaqueId }) => opaqueId === dialog?.opaqueId)
  const close = () => setDialog(undefined)
  const creating = { from: usualName(links ?? []), onClose: close, onCreated: reload }
  const card = (link: OwnLink) => (
    <LinkCard
      key={link.opaqueId}
      link={link}
      nowMs={nowMs}
      onAct={(kind) => setDialog({ kind, opaqueId: link.opaqueId })}
      onDismiss={() => dismissing.run(() => dismiss(link))}
    />
  )

  return (
    <div class="stack links-page">
      <div class="row apart">
        <h1 tabIndex={-1}>{text.title}</h1>
        {links !== undefined && links.length > 0 && (
          <Button kind="primary" icon="add" onClick={() => setDialog({ kind: 'new' })}>
            {text.create}
          </Button>
        )}
      </div>
      {links === undefined && error === undefined && <Progress label={text.title} />}
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      {dismissing.error !== undefined && <ErrorNotice error={dismissing.error} />}
      {links?.length === 0 && <NoLinks onCreate={() => setDialog({ kind: 'new' })} />}
      {links !== undefined && links.length > 0 && (
        <>
          <p class="soft">{text.intro}</p>
          <GuestsNote />
          <FindBar {...finding} what="links" filters="offers" orders={ORDERS} shown={found.length} of={links.length} />
          <h2 class="visually-hidden">{text.listTitle}</h2>
          {live.length > 0 && <ul class="stack">{live.map(card)}</ul>}
          {live.length === 0 && !isPart && found.length === links.length && <p>{text.noneLive}</p>}
        </>
      )}
      {past.length > 0 && (
        <details class="past" open={found.length < (links?.length ?? 0) || hadRefused.current}>
          <summary>{text.pastTitle(past.length)}</summary>
          <ul class="stack">{past.map(card)}</ul>
        </details>
      )}
      {dialog?.kind === 'new' && <NewLink {...creating} />}
      {dialog?.kind === 'copy' && shownLink && <NewLink like={shownLink} {...creating} />}
      {dialog?.kind === 'edit' && shownLink && <EditLink link={shownLink} onClose={close} onChanged={reload} />}
      {dialog?.kind === 'show' && shownLink && <ShowLink link={shownLink} onClose={close} />}
      {dialog?.kind === 'revoke' && shownLink && <RevokeLink link={shownLink} onClose={close} onRevoked={reload} />}
    </div>
  )
}

function findableOf({ label, title, message, from, createdAt, landedBytes }: OwnLink): Findable {
  return {
    file: { name: label },
    also: `${title ?? ''} ${message ?? ''} ${from ?? ''}`,
    size: landedBytes,
    at: createdAt,
  }
}

interface NoLinksProps {
  readonly onCreate: () => void
}

function NoLinks({ onCreate }: NoLinksProps) {
  const text = useText(linksTexts)
  return (
    <div class="card stack empty">
      <Icon name="link" />
      <h2>{text.emptyTitle}</h2>
      <ol class="steps">
        {text.emptySteps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <div>
        <Button kind="primary" icon="add" onClick={onCreate}>
          {text.createFirst}
        </Button>
      </div>
    </div>
  )
}

/** The server sends no event when a link expires. */
function useReloadWhenOneExpires(links: readonly OwnLink[] | undefined, now: () => number, reload: () => void): void {
  const nextMs = Math.min(
    ...(links ?? []).map(({ state, expiresAt }) =>
      state === 'live' && expiresAt !== undefined ? (parseInstant(expiresAt) ?? Infinity) : Infinity,
    ),
  )
  useEffect(() => {
    // A second late: the server's clock is known to the second.
    const waitMs = Math.max(1000, nextMs + 1000 - now())
    if (waitMs > MAX_TIMER_MS) return undefined
    const timer = setTimeout(reload, waitMs)
    return () => clearTimeout(timer)
  }, [nextMs, now, reload])
}
