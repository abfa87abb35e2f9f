import type { Findable } from '@blindkeep/client/find'
import type { OwnShare } from '@blindkeep/client/owner'
import { Fragment } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Button, Name, Notice } from '../../common/controls/controls.tsx'
import { Icon } from '../../common/controls/icons.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useRefreshed } from '../../common/work/useRefreshed.ts'
import { hashesOf } from '../assets/shownAsset.ts'
import { useAssets } from '../assets/useAssets.ts'
import { ConfirmDialog } from '../dialogs/confirmDialog.tsx'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { More } from '../dialogs/moreButtons.tsx'
import { NameDialog } from '../dialogs/nameDialog.tsx'
import { FindBar } from '../find/findBar.tsx'
import { useFinding } from '../find/findState.ts'
import { foundIn, offersOf } from '../find/found.ts'
import { errorTexts } from '../ground/errorText.ts'
import { GuestsNote } from '../ground/guestsNote.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { sharesTexts } from '../ground/texts.ts'
import { hasEnded } from './expiry.ts'
import { GoneFiles } from './goneFiles.tsx'
import { LimitDialog } from './limitDialog.tsx'
import { ShareAddress } from './shareAddress.tsx'
import { isUsedUp, shareName } from './shareFacts.ts'
import { useLookAtShares } from './useFollowedShares.ts'
import './shares.css'

const ORDERS = ['newest', 'oldest', 'name', 'largest'] as const

interface SharesPageProps {
  /** The id of the share that is looked at first; empty for none. */
  readonly rest: string
}

export function SharesPage({ rest }: SharesPageProps) {
  const { owner } = useOwnerPages()
  const text = useText(sharesTexts)
  const errorText = useText(errorTexts)
  const shares = useRefreshed<readonly OwnShare[]>((signal, onPart) =>
    owner.listShares({ order: 'newest', signal, onPart }),
  )
  const { value: assets } = useAssets()
  // Once for all rows: an account may have many thousand files.
  const held = useMemo(() => assets && new Set([...assets.values()].map((asset) => hashesOf(asset).original)), [assets])
  const [lookFault, setLookFault] = useState<unknown>()
  useLookAtShares((looked, fault) => {
    setLookFault(fault)
    if (looked !== undefined && looked.changed.length > 0) shares.reload()
  })
  const [shown, setShown] = useState<OwnShare>()
  const [named, setNamed] = useState<OwnShare>()
  const [limited, setLimited] = useState<OwnShare>()
  const [ending, setEnding] = useState<OwnShare>()
  const finding = useFinding()
  const all = shares.value ?? []
  const isOver = (share: OwnShare) => hasEnded(share.expiresAt, owner.now()) || isUsedUp(share)
  const newest = foundIn(offersOf(all, finding.state, isOver), finding.state, findableOf)
  return (
    <div class="stack">
      <h1 tabIndex={-1}>{text.title}</h1>
      <p class="soft">{text.intro}</p>
      <GuestsNote />
      {shares.error !== undefined && <ErrorNotice error={shares.error} onRetry={shares.reload} />}
      {lookFault !== undefined && shares.error === undefined && (
        <Notice tone="warn">{text.following.failed(errorText(lookFault))}</Notice>
      )}
      {shares.value === undefined && shares.error === undefined && (
        <p class="row soft" role="status">
          <span class="spinner" aria-hidden="true" />
          {text.loading}
        </p>
      )}
      {shares.value?.length === 0 && (
        <div class="card stack empty">
          <Icon name="share" />
          <h2>{text.none.title}</h2>
          <p class="soft">{text.none.text}</p>
          <a class="button primary" href="#/albums">
            {text.none.toAlbums}
          </a>
        </div>
      )}
      {all.length > 0 && (
        <FindBar {...finding} what="shares" filters="offers" orders={ORDERS} shown={newest.length} of={all.length} />
      )}
      {newest.length > 0 && (
        <ul class="stack" aria-label={text.list}>
          {newest.map((share) => (
            <ShareRow
              key={share.opaqueId}
              share={share}
              isWanted={share.opaqueId === rest}
              held={held}
              onShow={() => setShown(share)}
              onName={() => setNamed(share)}
              onLimit={() => setLimited(share)}
              onEnd={() => setEnding(share)}
            />
          ))}
        </ul>
      )}
      {shown?.url !== undefined && (
        <ShareAddress
          title={shareName(shown, text)}
          url={shown.url}
          expiresAt={shown.expiresAt}
          maxDownloads={shown.maxDownloads}
          passphraseRequired={shown.passphraseRequired}
          isKept
          onClose={() => setShown(undefined)}
        />
      )}
      {named !== undefined && (
        <NameDialog
          title={text.rename.title(shareName(named, text))}
          name={named.name}
          save={(name) => owner.nameShare(named.opaqueId, name)}
          onClose={() => setNamed(undefined)}
          onSaved={shares.reload}
        />
      )}
      {limited !== undefined && (
        <LimitDialog
          share={limited}
          name={shareName(limited, text)}
          onClose={() => setLimited(undefined)}
          onSaved={shares.reload}
        />
      )}
      {ending !== undefined && <EndShare share={ending} onClose={() => setEnding(undefined)} onEnded={shares.reload} />}
    </div>
  )
}

function findableOf({ name, contents, createdAt }: OwnShare): Findable {
  return { file: { name }, also: contents?.names.join(' '), size: contents?.bytes ?? 0, at: createdAt }
}

interface ShareRowProps {
  readonly share: OwnShare
  /** It takes the focus. */
  readonly isWanted: boolean
  readonly held: ReadonlySet<string | undefined> | undefined
  readonly onShow: () => void
  readonly onName: () => void
  readonly onLimit: () => void
  readonly onEnd: () => void
}

function ShareRow({ share, isWanted, held, onShow, onName, onLimit, onEnd }: ShareRowProps) {
  const { owner } = useOwnerPages()
  const text = useText(sharesTexts)
  const format = useText(formats)
  const { createdAt, expiresAt, url, nameFault, recordFault } = share
  const name = shareName(share, text)
  const isOver = hasEnded(expiresAt, owner.now())
  const words = isOver ? text.remove : text.end
  const end = expiresAt === undefined ? undefined : format.instant(expiresAt)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (isWanted) heading.current?.focus()
  }, [isWanted])
  const isShown = url !== undefined && !isOver
  const others = (
    <>
      {!isOver && share.visits !== undefined && (
        <Button kind="quiet" onClick={onLimit}>
          <span aria-hidden="true">{text.limit.button}</span>
          <span class="visually-hidden">{text.limit.of(name)}</span>
        </Button>
      )}
      <Button kind="quiet" onClick={onName}>
        <span aria-hidden="true">{text.rename.button}</span>
        <span class="visually-hidden">{text.rename.of(name)}</span>
      </Button>
      <Button kind={isOver ? 'quiet' : 'danger'} onClick={onEnd}>
        <span aria-hidden="true">{words.button}</span>
        <span class="visually-hidden">{words.buttonOf(name)}</span>
      </Button>
    </>
  )
  return (
    <li class="card row apart share-row">
      <div class="stack tight">
        <div class="row">
          <h2 ref={heading} tabIndex={-1} class="share-name">
            <Name>{name}</Name>
          </h2>
          <span class={`badge ${isOver || isUsedUp(share) ? '' : 'good'}`}>
            {isOver ? text.expired : isUsedUp(share) ? text.usedUp : text.live}
          </span>
          {share.follows !== undefined && (
            <span class="badge">
              <Icon name="album" />
              {text.following.badge}
            </span>
          )}
          {share.passphraseRequired && (
            <span class="badge">
              <Icon name="lock" />
              {text.withPassphrase}
            </span>
          )}
        </div>
        {nameFault !== undefined && <p class="badge bad">{text.nameFault}</p>}
        {recordFault !== undefined && <p class="badge bad">{text.recordFault}</p>}
        <Contents share={share} />
        <Visits share={share} />
        {url !== undefined && !isOver && !share.passphraseRequired && <GoneFiles url={url} held={held} />}
        <p class="small soft">
          {text.created(format.instant(createdAt))} ·{' '}
          {end === undefined ? text.forever : isOver ? text.ended(end) : text.until(end)}
        </p>
      </div>
      <div class="row">
        {isShown && (
          <Button icon="link" onClick={onShow}>
            <span aria-hidden="true">{text.show.button}</span>
            <span class="visually-hidden">{text.show.of(name)}</span>
          </Button>
        )}
        {isShown ? <More of={name}>{others}</More> : others}
      </div>
    </li>
  )
}

/** How often it was opened and downloaded, and when last. */
function Visits({ share: { visits, maxDownloads } }: { readonly share: OwnShare }) {
  const text = useText(sharesTexts).visits
  const format = useText(formats)
  if (visits === undefined) return null
  const { opened, downloaded, lastAt } = visits
  const left = maxDownloads === undefined ? undefined : Math.max(0, maxDownloads - downloaded)
  const parts = [
    ...(lastAt === undefined
      ? [text.none]
      : [text.opened(opened), text.downloaded(downloaded), text.last(format.instant(lastAt))]),
    ...(left === undefined || maxDownloads === undefined ? [] : [text.left(left, maxDownloads)]),
  ]
  return <p class="small">{parts.join(' · ')}</p>
}

/** How many files, and the names of the first ones. */
function Contents({ share }: { readonly share: OwnShare }) {
  const text = useText(sharesTexts)
  const format = useText(formats)
  const { contents, recordFault } = share
  if (contents === undefined) return recordFault === undefined ? <p class="small soft">{text.unknown}</p> : null
  const { files, bytes, names } = contents
  return (
    <p class="small">
      {text.contents(files, format.bytes(bytes))}
      {names.map((name, index) => (
        <Fragment key={`${index} ${name}`}>
          {' · '}
          <Name>{name}</Name>
        </Fragment>
      ))}
      {names.length > 0 && files > names.length && ` · ${text.more(files - names.length)}`}
    </p>
  )
}

interface EndShareProps {
  readonly share: OwnShare
  readonly onClose: () => void
  readonly onEnded: () => void
}

function EndShare({ share, onClose, onEnded }: EndShareProps) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(sharesTexts)
  const words = hasEnded(share.expiresAt, owner.now()) ? text.remove : text.end
  return (
    <ConfirmDialog
      title={words.title}
      submit={words.confirm}
      work={() => owner.deleteShare(share.opaqueId)}
      onDone={() => {
        showMessage({ tone: 'good', text: words.done })
        onEnded()
        onClose()
      }}
      onClose={onClose}
    >
      <p>{words.text}</p>
    </ConfirmDialog>
  )
}
