/** Shows a link with all ways to share it: copy, QR code, the system's share dialog. */
import type { OwnLink } from '@blindkeep/client/owner'
import { Button, Dialog } from '../../common/controls/controls.tsx'
import { CopyButton } from '../../common/controls/copyButton.tsx'
import { Icon } from '../../common/controls/icons.tsx'
import { QrCode } from '../../common/controls/qrCode.tsx'
import { useText } from '../../common/language/reader.ts'
import { ShownPassphrase } from '../dialogs/newPassphrase.tsx'
import { linksTexts } from '../ground/texts.ts'
import { labelOf } from './linkLabel.ts'

interface ShowLinkProps {
  readonly link: Pick<OwnLink, 'url' | 'label' | 'passphraseRequired'>
  readonly onClose: () => void
}

export function ShowLink({ link, onClose }: ShowLinkProps) {
  const text = useText(linksTexts)
  return (
    <Dialog title={labelOf(link, text)} closeLabel={text.close} onClose={onClose}>
      <LinkAddress url={link.url} isProtected={link.passphraseRequired} />
    </Dialog>
  )
}

interface LinkAddressProps {
  readonly url: string
  /** Present only right after the link was created. */
  readonly passphrase?: string | undefined
  /** Whether guests need a passphrase. */
  readonly isProtected?: boolean
}

export function LinkAddress(props: LinkAddressProps) {
  const { url, passphrase, isProtected = passphrase !== undefined } = props
  const text = useText(linksTexts).ready
  const mail = `mailto:?subject=${encodeURIComponent(text.mailSubject)}&body=${encodeURIComponent(text.mailBody(url))}`
  return (
    <div class="stack">
      <output class="link-shown mono" aria-label={text.link}>
        {url}
      </output>
      <div class="row">
        <CopyButton
          kind="primary"
          text={url}
          label={text.copy}
          copiedLabel={text.copied}
          failedLabel={text.copyFailed}
        />
        {canShare(url) && (
          <Button icon="share" onClick={() => void share(url)}>
            {text.share}
          </Button>
        )}
        <a class="button quiet" href={mail}>
          <Icon name="mail" />
          {text.mail}
        </a>
      </div>
      {passphrase !== undefined && <ShownPassphrase passphrase={passphrase} />}
      <div class="qr-beside">
        <QrCode text={url} label={text.qr} />
        <div class="stack small soft">
          <p>{text.qrHint}</p>
          <p>{isProtected ? text.secretWithPassphrase : text.secret}</p>
        </div>
      </div>
    </div>
  )
}

function canShare(url: string): boolean {
  return typeof navigator.canShare === 'function' && navigator.canShare({ url })
}

async function share(url: string): Promise<void> {
  try {
    await navigator.share({ url })
  } catch {
    // The owner has closed the share dialog, or no app accepts the link. The other ways remain.
  }
}
