import { useEffect, useRef, useState } from 'preact/hooks'
import { useCloseGuard } from '../../common/closeGuard.ts'
import { Button, Dialog, Field, Notice } from '../../common/controls.tsx'
import { CopyButton } from '../../common/copyButton.tsx'
import { formatInstant } from '../../common/format.ts'
import { QrCode } from '../../common/qrCode.tsx'
import { useOwnerPages } from '../context.ts'
import { sharesText } from './texts.ts'

interface CreatedShareViewProps {
  /** SECRET. Only this page has it. */
  readonly url: string
  readonly expiresAt: string | undefined
  readonly onClose: () => void
}

/** Shows the share's address once. Asks before it closes when the address was not copied. */
export function CreatedShareView({ url, expiresAt, onClose }: CreatedShareViewProps) {
  const { language } = useOwnerPages()
  const text = sharesText(language)
  const [isCopied, setCopied] = useState(false)
  const [isAsking, setAsking] = useState(false)
  // The address is never shown again.
  useCloseGuard(!isCopied)
  const address = useRef<HTMLTextAreaElement>(null)
  const asking = useRef<HTMLDivElement>(null)
  useEffect(() => asking.current?.scrollIntoView({ block: 'nearest' }), [isAsking])
  return (
    <Dialog
      title={text.made.title}
      closeLabel={text.close}
      onClose={() => (isCopied || isAsking ? onClose() : setAsking(true))}
    >
      {isAsking && !isCopied ? (
        <div ref={asking}>
          <Notice tone="bad">
            <p>{text.made.sure}</p>
            <div>
              <Button kind="danger" onClick={onClose}>
                {text.made.closeAnyway}
              </Button>
            </div>
          </Notice>
        </div>
      ) : (
        <Notice tone="warn">
          <p>
            <strong>{text.made.once}</strong>
          </p>
          <p>{text.made.warning}</p>
        </Notice>
      )}
      <Field label={text.made.address}>
        {(input) => (
          <textarea
            {...input}
            ref={address}
            class="mono share-address"
            readOnly
            rows={3}
            value={url}
            onCopy={() => setCopied(true)}
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
          onCopied={() => setCopied(true)}
        />
      </div>
      <div class="share-qr">
        <QrCode text={url} label={text.made.qr} />
        <p class="small soft">
          {expiresAt === undefined ? text.made.forever : text.made.until(formatInstant(expiresAt, language))}
        </p>
      </div>
      <div class="row">
        <Button onClick={onClose}>{text.made.done}</Button>
      </div>
    </Dialog>
  )
}
