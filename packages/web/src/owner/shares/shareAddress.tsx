import { useRef } from 'preact/hooks'
import { Button, DialogEnd, Field, Notice } from '../../common/controls/controls.tsx'
import { CopyButton } from '../../common/controls/copyButton.tsx'
import { QrCode } from '../../common/controls/qrCode.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { AskingDialog } from '../dialogs/askingDialog.tsx'
import { ShownPassphrase } from '../dialogs/newPassphrase.tsx'
import { sharesTexts } from '../ground/texts.ts'

interface ShareAddressProps {
  readonly title: string
  /** SECRET. */
  readonly url: string
  readonly expiresAt: string | undefined
  /** Undefined for any number. */
  readonly maxDownloads: number | undefined
  readonly passphraseRequired: boolean
  /** Present only right after the share was created. */
  readonly passphrase?: string | undefined
  /** False if it can be shown only now. */
  readonly isKept: boolean
  readonly onClose: () => void
}

/** Shows the address of a share, right after it was made and whenever its owner asks. */
export function ShareAddress(props: ShareAddressProps) {
  const { title, url, expiresAt, maxDownloads, passphraseRequired, passphrase, isKept, onClose } = props
  const text = useText(sharesTexts)
  const format = useText(formats)
  const address = useRef<HTMLTextAreaElement>(null)
  return (
    <AskingDialog
      title={title}
      closeLabel={text.close}
      onClose={onClose}
      holdsSecret={!isKept || passphrase !== undefined}
    >
      <Notice tone="warn">
        <p>{passphraseRequired ? text.made.withPassphrase : text.made.warning}</p>
        <p>{isKept ? text.made.again : text.made.once}</p>
      </Notice>
      <Field label={text.made.address}>
        {(input) => (
          <textarea
            {...input}
            ref={address}
            class="mono share-address"
            readOnly
            rows={3}
            value={url}
            onFocus={() => address.current?.select()}
          />
        )}
      </Field>
      <div>
        <CopyButton
          kind="primary"
          text={url}
          label={text.made.copy}
          copiedLabel={text.made.copied}
          failedLabel={text.made.copyFailed}
        />
      </div>
      {passphrase !== undefined && <ShownPassphrase passphrase={passphrase} />}
      <div class="share-qr">
        <QrCode text={url} label={text.made.qr} />
        <p class="small soft">
          {expiresAt === undefined ? text.made.forever : text.made.until(format.instant(expiresAt))}
          {maxDownloads !== undefined && ` ${text.made.downloads(maxDownloads)}`}
        </p>
      </div>
      <DialogEnd>
        <Button onClick={onClose}>{text.made.done}</Button>
      </DialogEnd>
    </AskingDialog>
  )
}
