/** Mail through the operator's server (RFC 5321). */
import type { Transporter } from 'nodemailer'
import { abortable } from '../../ground/abortable.ts'
import type { Delivery, Message, Target } from '../../ports/messenger.ts'
import { systemWord } from './systemWord.ts'
import { textOf } from './texts.ts'

export interface MailSettings {
  readonly host: string
  readonly port: number
  /** TLS from the first byte. Otherwise the connection must switch to TLS, except on loopback. */
  readonly isTls: boolean
  readonly isLoopback: boolean
  readonly user: string | undefined
  readonly password: string | undefined
  readonly from: string
}

/** For the whole dialogue. */
const MAX_MAIL_MS = 20_000
const CONNECTION_MS = 8_000
const SILENCE_MS = 8_000

export type SendMail = (
  target: Extract<Target, { readonly kind: 'email' }>,
  message: Message,
  use: { readonly host: string; readonly signal: AbortSignal },
) => Promise<Delivery>

export function createSendMail(settings: MailSettings): SendMail {
  let opened: Transporter | undefined

  /** Loaded with the first mail: most servers send none. */
  async function transport(): Promise<Transporter> {
    if (opened !== undefined) return opened
    const { createTransport } = await import('nodemailer')
    const { host, port, isTls, isLoopback, user, password } = settings
    opened = createTransport({
      host,
      port,
      secure: isTls,
      requireTLS: !isTls && !isLoopback,
      ignoreTLS: !isTls && isLoopback,
      ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
      connectionTimeout: CONNECTION_MS,
      greetingTimeout: SILENCE_MS,
      socketTimeout: SILENCE_MS,
      // No part of a message comes from a file or another server.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return opened
  }

  return async function sendMail({ address }, message, { host, signal }) {
    const { title, body } = textOf(message, host)
    const stopped = AbortSignal.any([signal, AbortSignal.timeout(MAX_MAIL_MS)])
    const mail = {
      from: settings.from,
      to: { name: '', address },
      subject: `${title} (${host})`,
      text: `${body}\n`,
      messageId: `<${message.messageId}@${host}>`,
      // RFC 3834: programs that answer mail leave this one alone.
      headers: { 'Auto-Submitted': 'auto-generated' },
    }
    try {
      const opened = await transport()
      await abortable(opened.sendMail(mail), stopped)
      return 'sent'
    } catch (error) {
      if (signal.aborted) throw signal.reason
      return stopped.aborted ? { fault: 'timed_out' } : failureOf(error)
    }
  }
}

/** By the library's codes, and by the first digit of the reply (RFC 5321, section 4.2.1). */
function failureOf(error: unknown): Delivery {
  const { responseCode } = error as { readonly responseCode?: unknown }
  if (typeof responseCode === 'number')
    return { fault: responseCode >= 500 ? 'rejected' : 'receiver_failed', why: `SMTP ${responseCode}` }
  const why = systemWord(error)
  return { fault: faultOfWord(why), why }
}

function faultOfWord(code: string | undefined) {
  if (code === 'ETIMEDOUT') return 'timed_out'
  if (code === 'ETLS') return 'tls_failed'
  return code === 'EPROTOCOL' || code === 'EMESSAGE' ? 'receiver_failed' : 'unreachable'
}
