import { isLocalPage } from '../../common/address/localPage.ts'
import { Button, Name, Notice } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import type { Snapshot } from '../ground/messages.ts'
import { noticeOf } from '../ground/standing.ts'
import { useTell } from '../ground/tell.ts'
import { guestTexts } from '../ground/texts.ts'

interface UnsupportedNoticeProps {
  readonly what: 'insecure' | 'old' | 'broken'
  /** What a page that is loaded again can continue. */
  readonly isStored: boolean
}

export function UnsupportedNotice({ what, isStored }: UnsupportedNoticeProps) {
  const { unsupported } = useText(guestTexts)
  const more = what === 'broken' && !isStored ? unsupported.brokenUnstored : unsupported[`${what}More`]
  return (
    <Notice tone="bad">
      <h2>{unsupported[what]}</h2>
      <p>{more}</p>
      {what !== 'insecure' && (
        <div>
          <Button icon="retry" onClick={() => location.reload()}>
            {unsupported.reload}
          </Button>
        </div>
      )}
    </Notice>
  )
}

/** Why the link accepts no files, and what the guest can do. */
export function LinkNotice({ snapshot }: { readonly snapshot: Snapshot }) {
  return (
    <>
      <LinkFaultNotice snapshot={snapshot} />
      <StorageNotice snapshot={snapshot} />
    </>
  )
}

function LinkFaultNotice({ snapshot }: { readonly snapshot: Snapshot }) {
  const format = useText(formats)
  const text = useText(guestTexts)
  const { link } = snapshot
  const notice = noticeOf(snapshot)
  if (notice !== undefined) {
    const { title, more } = text.standing[notice]
    const expiredAt = link.is === 'refused' ? link.expiredAt : undefined
    const { closed, expired, usedUp } = text.standing.why
    const unknown = snapshot.hasUsedUpLink ? usedUp : closed
    const why = expiredAt === undefined ? unknown : expired(format.instant(expiredAt))
    const isClosed = link.is === 'refused'
    return (
      <Notice tone="warn">
        <h2>{title}</h2>
        <p>{isClosed ? `${why} ${more}` : more}</p>
        {!notice.endsWith('_for_new') && <p class="soft small">{text.standing.elsewhere}</p>}
        {!isClosed && snapshot.ownerHears.length > 0 && <p class="soft small">{text.standing.ownerHears}</p>}
        {!notice.startsWith('closed') && <AskAgain label={text.standing.lookAgain} />}
      </Notice>
    )
  }
  if (link.is !== 'refused' || link.fault === 'closed') return null
  const { title, more } = text.faults[link.fault]
  return (
    <Notice tone={link.fault === 'key_swapped' ? 'bad' : 'warn'}>
      <h2>{title}</h2>
      {link.found !== undefined && (
        <p>
          <Name>{link.found}</Name>
        </p>
      )}
      <p>{more}</p>
      {link.fault === 'server_moved' && snapshot.checkedReceipts > 0 && <p>{text.receiptsFirst}</p>}
      {(link.isRetrying || link.fault === 'given_up') && <AskAgain label={text.askAgain} />}
      {link.fault === 'server_moved' && (
        <div>
          <Button icon="retry" onClick={() => location.reload()}>
            {text.openAgain}
          </Button>
        </div>
      )}
    </Notice>
  )
}

function AskAgain({ label }: { readonly label: string }) {
  const tell = useTell()
  return (
    <div>
      <Button icon="retry" onClick={() => tell({ do: 'askAgain' })}>
        {label}
      </Button>
    </div>
  )
}

function StorageNotice({ snapshot: { storage, rows } }: { readonly snapshot: Snapshot }) {
  const text = useText(guestTexts)
  if (isLocalPage || storage !== 'refused' || rows.length === 0) return null
  return (
    <Notice tone="info">
      <p>{text.storageRefused}</p>
    </Notice>
  )
}
