import type { CreatedShare } from '@blindkeep/client/owner'
import { useId, useState } from 'preact/hooks'
import { Button, Dialog } from '../../common/controls.tsx'
import type { ConsentedAsset } from '../albums/shownAsset.ts'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { type Action, useAction } from '../useAction.ts'
import { CreatedShareView } from './createdShare.tsx'
import { EXPIRIES, type Expiry, expiryInstant } from './expiry.ts'
import './shares.css'
import { sharesText } from './texts.ts'

interface ShareDialogProps {
  /** What was shown is what is shared. The owner was asked about files of revoked devices; unsigned files cannot be shared. */
  readonly assets: readonly ConsentedAsset[]
  readonly onClose: () => void
}

interface ShareWithExpiry extends CreatedShare {
  readonly expiresAt: string | undefined
}

/** Asks how long the share lasts, then shows its address once. */
export function ShareDialog({ assets, onClose }: ShareDialogProps) {
  const { language } = useOwnerPages()
  const text = sharesText(language)
  const [created, setCreated] = useState<ShareWithExpiry>()
  const creating = useAction()
  // Closing now would leave a share whose address was never shown.
  const close = () => creating.isBusy || onClose()
  if (created !== undefined)
    return <CreatedShareView url={created.url} expiresAt={created.expiresAt} onClose={onClose} />
  return (
    <Dialog title={text.create.title(assets.length)} closeLabel={text.close} onClose={close}>
      <CreateShare assets={assets} action={creating} onCreated={setCreated} onCancel={close} />
    </Dialog>
  )
}

interface CreateShareProps extends Pick<ShareDialogProps, 'assets'> {
  readonly action: Action
  readonly onCreated: (share: ShareWithExpiry) => void
  readonly onCancel: () => void
}

function CreateShare({ assets, action, onCreated, onCancel }: CreateShareProps) {
  const { owner, language } = useOwnerPages()
  const text = sharesText(language)
  const [expiry, setExpiry] = useState<Expiry>('week')
  const { isBusy, error } = action
  const id = useId()

  const create = () =>
    action.run(async () => {
      const expiresAt = expiryInstant(expiry, Date.now())
      const allowRevokedDevice = assets.some(({ permissions }) => permissions.allowRevokedDevice === true)
      const facts = assets.map(({ asset }) => asset)
      onCreated({ ...(await owner.createShare(facts, { expiresAt, allowRevokedDevice })), expiresAt })
    })

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      <p>{text.create.explain}</p>
      <fieldset class="stack tight" aria-describedby={id}>
        <legend class="share-legend">{text.create.expiry}</legend>
        <div class="choices">
          {EXPIRIES.map((expiryOption) => (
            <label key={expiryOption} class="choice">
              <input
                type="radio"
                name="expiry"
                value={expiryOption}
                checked={expiry === expiryOption}
                onChange={() => setExpiry(expiryOption)}
              />
              <span>{text.create.presets[expiryOption]}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <p id={id} class="small soft">
        {text.create.privacyNote}
      </p>
      {error !== undefined && <ErrorNotice error={error} language={language} />}
      <div class="row">
        <Button kind="primary" icon="share" submits busy={isBusy}>
          {isBusy ? text.create.making : text.create.submit}
        </Button>
        <Button kind="quiet" disabled={isBusy} onClick={onCancel}>
          {text.cancel}
        </Button>
      </div>
    </form>
  )
}
