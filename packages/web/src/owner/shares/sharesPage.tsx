import type { OwnShare } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button, Dialog } from '../../common/controls.tsx'
import { formatInstant } from '../../common/format.ts'
import { Icon } from '../../common/icons.tsx'
import { useLoaded } from '../../common/useLoaded.ts'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { useAction } from '../useAction.ts'
import { hasEnded } from './expiry.ts'
import './shares.css'
import { sharesText } from './texts.ts'

/** Enough to recognise an address; not enough to open the share. */
const SHORT_ID = 6

export function SharesPage() {
  const { owner, language } = useOwnerPages()
  const text = sharesText(language)
  const shares = useLoaded(() => owner.listShares())
  const [ending, setEnding] = useState<OwnShare>()
  const newest = [...(shares.value ?? [])].reverse()
  return (
    <div class="stack">
      <h1 tabIndex={-1}>{text.title}</h1>
      <p class="soft">{text.intro}</p>
      {shares.error !== undefined && <ErrorNotice error={shares.error} language={language} onRetry={shares.reload} />}
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
      {newest.length > 0 && (
        <>
          <ul class="stack" aria-label={text.list}>
            {newest.map((share) => (
              <ShareRow key={share.opaqueId} share={share} onEnd={() => setEnding(share)} />
            ))}
          </ul>
          <p class="small soft">{text.addressGone}</p>
        </>
      )}
      {ending !== undefined && <EndShare share={ending} onClose={() => setEnding(undefined)} onEnded={shares.reload} />}
    </div>
  )
}

function ShareRow({ share, onEnd }: { readonly share: OwnShare; readonly onEnd: () => void }) {
  const { language } = useOwnerPages()
  const text = sharesText(language)
  const { createdAt, expiresAt, opaqueId } = share
  const id = opaqueId.slice(0, SHORT_ID)
  const isOver = hasEnded(expiresAt, Date.now())
  const words = isOver ? text.remove : text.end
  const end = expiresAt === undefined ? undefined : formatInstant(expiresAt, language)
  return (
    <li class="card row apart share-row">
      <div class="stack tight">
        <div class="row">
          <h2 class="share-name">{text.name(id)}</h2>
          <span class={`badge ${isOver ? '' : 'good'}`}>{isOver ? text.expired : text.live}</span>
        </div>
        <p class="small soft">
          {text.created(formatInstant(createdAt, language))} ·{' '}
          {end === undefined ? text.forever : isOver ? text.ended(end) : text.until(end)}
        </p>
      </div>
      <Button kind={isOver ? 'quiet' : 'danger'} onClick={onEnd}>
        <span aria-hidden="true">{words.button}</span>
        <span class="visually-hidden">{words.buttonOf(id)}</span>
      </Button>
    </li>
  )
}

interface EndShareProps {
  readonly share: OwnShare
  readonly onClose: () => void
  readonly onEnded: () => void
}

function EndShare({ share, onClose, onEnded }: EndShareProps) {
  const { owner, language, showMessage } = useOwnerPages()
  const text = sharesText(language)
  const { isBusy, error, run } = useAction()
  const words = hasEnded(share.expiresAt, Date.now()) ? text.remove : text.end
  const end = async () => {
    if (!(await run(() => owner.deleteShare(share.opaqueId)))) return
    showMessage({ tone: 'good', text: words.done })
    onEnded()
    onClose()
  }
  return (
    <Dialog title={words.title} closeLabel={text.close} onClose={onClose}>
      <p>{words.text}</p>
      {error !== undefined && <ErrorNotice error={error} language={language} />}
      <div class="row">
        <Button kind="danger" busy={isBusy} onClick={() => void end()}>
          {words.confirm}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {text.cancel}
        </Button>
      </div>
    </Dialog>
  )
}
