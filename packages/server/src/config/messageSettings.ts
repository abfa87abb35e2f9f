import { channelKinds, emailAddress, mailServer, networks, text, webhookSecret, webhookUrl } from './parsers.ts'
import { derived, optional } from './setting.ts'

/** Messages to owners and to the operator, and the ways that they take: a part of `SETTINGS`. */
export const MESSAGE_SETTINGS = {
  notify: derived('NOTIFY', {
    shown: 'none',
    derive: () => [],
    meaning:
      'Kinds of channels by which owners may hear that files have landed, separated by commas: webhook, ntfy, email, push. email needs SMTP_URL and MAIL_FROM. push goes through the services of the browsers’ vendors, and needs a PUBLIC_URL with https.',
    parse: channelKinds,
  }),
  notifyNetworks: derived('NOTIFY_NETWORKS', {
    shown: 'none',
    derive: () => [],
    meaning:
      'Addresses and CIDR networks, separated by commas, to which webhooks, ntfy and push may lead besides public addresses. Plain http and every port are allowed there. Every owner can then send requests to them.',
    parse: networks,
  }),
  smtp: optional('SMTP_URL', {
    shown: 'none',
    meaning:
      'The mail server, as smtps://<host> (port 465) or smtp://<host> (port 587, which must switch to TLS, except on loopback). Without credentials.',
    parse: mailServer,
  }),
  smtpUser: optional('SMTP_USER', { shown: 'none', meaning: 'Signs in to the mail server.', parse: text }),
  smtpPassword: optional('SMTP_PASSWORD', {
    shown: 'none',
    meaning: 'The password of that user.',
    parse: text,
    isSecret: true,
  }),
  mailFrom: optional('MAIL_FROM', {
    shown: 'none',
    meaning: 'Sender of mail to owners, a plain e-mail address.',
    parse: emailAddress,
  }),
  alarmEmail: optional('ALARM_EMAIL', {
    shown: 'none',
    meaning:
      'Where the operator hears of alarms, as `status` has them, and of their end, at most once an hour for each kind. Needs SMTP_URL and MAIL_FROM.',
    parse: emailAddress,
  }),
  alarmWebhook: optional('ALARM_WEBHOOK', {
    isSecret: true,
    shown: 'none',
    meaning:
      'URL of a webhook that hears the same, also at a private address or with plain http. Needs ALARM_WEBHOOK_SECRET.',
    parse: webhookUrl,
  }),
  alarmWebhookSecret: optional('ALARM_WEBHOOK_SECRET', {
    isSecret: true,
    shown: 'none',
    meaning: 'Signs these messages as Standard Webhooks do: base64 of at least 24 bytes.',
    parse: webhookSecret,
  }),
} as const
