import { Button, Notice } from '../common/controls.tsx'
import type { Snapshot } from './messages.ts'
import { useGuestPages } from './texts.ts'

export function UnsupportedNotice({ what }: { readonly what: 'insecure' | 'old' | 'broken' }) {
  const { unsupported } = useGuestPages().text
  return (
    <Notice tone="bad">
      <h2>{unsupported[what]}</h2>
      <p>{unsupported[`${what}More`]}</p>
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

function LinkFaultNotice({ snapshot: { link, totals, counts } }: { readonly snapshot: Snapshot }) {
  const { text, tell } = useGuestPages()
  if (link.is === 'asking') return null
  if (link.is === 'open') {
    const isFull = link.limits.remainingFiles === 0 || link.limits.fileBytesMax === 0
    if (!isFull || totals.files > 0 || counts.landed > 0) return null
    return (
      <Notice tone="warn">
        <h2>{text.limits.full}</h2>
        <p>{text.limits.fullMore}</p>
      </Notice>
    )
  }
  const isWithdrawn = link.fault === 'closed' && counts.landed + counts.failed + counts.sending > 0
  const { title, more } = text.faults[link.fault]
  return (
    <Notice tone={link.fault === 'key_swapped' ? 'bad' : 'warn'}>
      <h2>{title}</h2>
      <p>{isWithdrawn ? text.closedWhileSending : more}</p>
      {link.isRetrying && (
        <div>
          <Button icon="retry" onClick={() => tell({ do: 'askAgain' })}>
            {text.askAgain}
          </Button>
        </div>
      )}
    </Notice>
  )
}

function StorageNotice({ snapshot: { storage, rows } }: { readonly snapshot: Snapshot }) {
  const { text } = useGuestPages()
  if (storage !== 'refused' || rows.length === 0) return null
  return (
    <Notice tone="info">
      <p>{text.storageRefused}</p>
    </Notice>
  )
}
