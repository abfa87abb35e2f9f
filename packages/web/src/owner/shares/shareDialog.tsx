import type { CreatedShare } from '@blindkeep/client/owner'
import { useId, useState } from 'preact/hooks'
import { useText } from '../../common/reader.ts'
import type { ConsentedAsset } from '../albums/shownAsset.ts'
import { AskingDialog } from '../askingDialog.tsx'
import { useOwnerPages } from '../context.ts'
import { ErrorNotice } from '../errorNotice.tsx'
import { FormButtons } from '../formButtons.tsx'
import { NameField } from '../nameField.tsx'
import { NewPassphrase } from '../newPassphrase.tsx'
import { type Action, useAction } from '../useAction.ts'
import { EXPIRIES, type Expiry, expiryInstant } from './expiry.ts'
import { LimitField, limitOf } from './limitField.tsx'
import { ShareAddress } from './shareAddress.tsx'
import './shares.css'
import { sharesTexts } from './texts.ts'

interface ShareDialogProps {
  /** What was shown is shared. Owners were asked about revoked devices' files; unsigned ones cannot be shared. */
  readonly assets: readonly ConsentedAsset[]
  readonly onClose: () => void
}

interface ShareWithExpiry extends CreatedShare {
  readonly expiresAt: string | undefined
  readonly maxDownloads: number | undefined
  readonly passphrase: string | undefined
}

/** Asks for a name and how long the share lasts, then shows its address. */
export function ShareDialog({ assets, onClose }: ShareDialogProps) {
  const text = useText(sharesTexts)
  const [created, setCreated] = useState<ShareWithExpiry>()
  const creating = useAction()
  if (created !== undefined)
    return (
      <ShareAddress
        title={text.made.title}
        {...created}
        passphraseRequired={created.passphrase !== undefined}
        onClose={onClose}
      />
    )
  return (
    // Closed while it is busy, it would leave a share of which its owner does not know.
    <AskingDialog
      title={text.create.title(assets.length)}
      closeLabel={text.close}
      onClose={onClose}
      isBusy={creating.isBusy}
    >
      <CreateShare assets={assets} action={creating} onCreated={setCreated} onCancel={onClose} />
    </AskingDialog>
  )
}

interface CreateShareProps extends Pick<ShareDialogProps, 'assets'> {
  readonly action: Action
  readonly onCreated: (share: ShareWithExpiry) => void
  readonly onCancel: () => void
}

function CreateShare({ assets, action, onCreated, onCancel }: CreateShareProps) {
  const { owner } = useOwnerPages()
  const text = useText(sharesTexts)
  const [expiry, setExpiry] = useState<Expiry>('week')
  const [name, setName] = useState('')
  const [typed, setTyped] = useState('')
  const [limit, setLimit] = useState('')
  const { isBusy, error } = action
  const id = useId()

  const create = () => {
    const maxDownloads = limitOf(limit)
    if (maxDownloads === 'wrong') return
    return action.run(async () => {
      const expiresAt = expiryInstant(expiry, owner.now())
      const allowRevokedDevice = assets.some(({ permissions }) => permissions.allowRevokedDevice === true)
      const facts = assets.map(({ asset }) => asset)
      const passphrase = typed.trim() === '' ? undefined : typed.trim()
      const share = await owner.createShare(facts, { name, passphrase, expiresAt, maxDownloads, allowRevokedDevice })
      onCreated({ ...share, expiresAt, maxDownloads, passphrase })
    })
  }

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      <p>{text.create.explain}</p>
      <NameField label={text.create.name} hint={text.create.nameHint} name={name} onName={setName} />
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
      <LimitField typed={limit} onTyped={setLimit} />
      <NewPassphrase
        value={typed}
        label={text.create.passphrase}
        hint={text.create.passphraseHint}
        onInput={setTyped}
      />
      <p id={id} class="small soft">
        {text.create.privacyNote}
      </p>
      {error !== undefined && <ErrorNotice error={error} />}
      <FormButtons
        submit={isBusy ? text.create.making : text.create.submit}
        icon="share"
        atEnd
        isBusy={isBusy}
        onCancel={onCancel}
      />
    </form>
  )
}
