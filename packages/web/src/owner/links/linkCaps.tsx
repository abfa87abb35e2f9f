import type { OwnLink } from '@blindkeep/client/owner'
import { Check, Field, Progress } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { linksTexts } from '../ground/texts.ts'
import {
  type DraftFault,
  type DraftFaults,
  type LinkDraft,
  SIZE_UNITS,
  type SizeDraft,
  type SizeUnit,
} from './linkDraft.ts'

/** A link's caps on the page: the fields of a new link, and the bars of an existing one. */

export interface CapFieldsProps {
  readonly draft: LinkDraft
  readonly faults: DraftFaults
  readonly change: (changed: Partial<LinkDraft>) => void
}

export function CapFields({ draft, faults, change }: CapFieldsProps) {
  const text = useText(linksTexts).form
  return (
    <>
      {!draft.singleUse && (
        <Field label={text.maxFiles} hint={text.noLimit} fault={faultText(faults.maxFiles, text)}>
          {(input) => (
            <input
              {...input}
              type="number"
              min="1"
              step="1"
              inputMode="numeric"
              value={draft.maxFiles}
              onInput={(event) => change({ maxFiles: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
      <SizeField
        label={text.maxFileSize}
        size={draft.maxFileSize}
        fault={faultText(faults.maxFileSize, text)}
        onSize={(maxFileSize) => change({ maxFileSize })}
      />
      {!draft.noTotalLimit && (
        <SizeField
          label={text.maxTotal}
          hint={text.totalHint}
          size={draft.maxTotal}
          fault={faultText(faults.maxTotal, text)}
          onSize={(maxTotal) => change({ maxTotal })}
        />
      )}
      <Check checked={draft.noTotalLimit} onChange={(noTotalLimit) => change({ noTotalLimit })}>
        {text.noTotalLimit}
      </Check>
    </>
  )
}

/** Landed files count against the link's limits; uploads that are under way have reserved their part. */
export function CapBars({ link }: { readonly link: OwnLink }) {
  const text = useText(linksTexts)
  const format = useText(formats)
  const { caps } = link
  const usedFiles = link.landedFiles + link.openSessions
  const usedBytes = link.landedBytes + link.openBytes
  return (
    <div class="bars">
      {caps.maxFileCount !== undefined && (
        <div class="stack tight">
          <span class="small">{text.filesOf(usedFiles, caps.maxFileCount)}</span>
          <Progress label={text.filesUsed} value={usedFiles} max={caps.maxFileCount} />
        </div>
      )}
      {caps.maxTotalBytes !== undefined && (
        <div class="stack tight">
          <span class="small">{text.bytesOf(format.bytes(usedBytes), format.bytes(caps.maxTotalBytes))}</span>
          <Progress label={text.bytesUsed} value={usedBytes} max={caps.maxTotalBytes} />
        </div>
      )}
    </div>
  )
}

interface SizeFieldProps {
  readonly label: string
  readonly hint?: string
  readonly size: SizeDraft
  readonly fault: string | undefined
  readonly onSize: (size: SizeDraft) => void
}

function SizeField({ label, hint, size, fault, onSize }: SizeFieldProps) {
  const text = useText(linksTexts).form
  return (
    <Field label={label} hint={hint ?? text.noLimit} fault={fault}>
      {(input) => (
        <div class="beside">
          <input
            {...input}
            type="number"
            min="0"
            step="any"
            inputMode="decimal"
            value={size.amount}
            onInput={(event) => onSize({ ...size, amount: event.currentTarget.value })}
          />
          <select
            aria-label={text.unit(label)}
            value={size.unit}
            onChange={(event) => onSize({ ...size, unit: unitOf(event.currentTarget.value) })}
          >
            {Object.keys(SIZE_UNITS).map((unit) => (
              <option key={unit} value={unit}>
                {unit}
              </option>
            ))}
          </select>
        </div>
      )}
    </Field>
  )
}

export function faultText(
  fault: DraftFault | undefined,
  { faults }: (typeof linksTexts)['en']['form'],
): string | undefined {
  return fault && faults[fault]
}

function unitOf(value: string): SizeUnit {
  return value === 'MB' || value === 'TB' ? value : 'GB'
}
