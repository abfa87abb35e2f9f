const OUR_FAULT = 'Ein unerwarteter Fehler ist aufgetreten. Laden Sie die Seite neu und versuchen Sie es noch einmal.'
const OTHER_FILE =
  'Der Server hat nicht genau das erhalten, was gesendet wurde, und nichts davon behalten. Versuchen Sie es noch einmal.'
const GONE = 'Das gibt es hier nicht mehr. Vielleicht wurde es inzwischen gelöscht.'
const BROKEN_SEAL =
  'Das lässt sich nicht öffnen: Es wurde nach dem Verschlüsseln verändert oder nicht für dieses Konto verschlüsselt. Vertrauen Sie keinem Teil davon, den Sie gesehen haben.'

export const problems: typeof import('../en/problems.ts').problems = {
  codes: {
    'error.request.malformed': OUR_FAULT,
    'error.drop.malformed': OUR_FAULT,
    'error.drop.opaque_id_taken': 'Der Link konnte nicht angelegt werden. Versuchen Sie es noch einmal.',
    'error.auth.registration_invalid': 'Der Server nimmt diese E-Mail-Adresse nicht an. Prüfen Sie die Schreibweise.',
    'error.passkey.invalid': 'Der Passkey konnte nicht hinzugefügt werden. Versuchen Sie es noch einmal.',
    'error.device.invalid':
      'Der Signaturschlüssel dieses Browsers wird nicht mehr angenommen. Laden Sie die Seite neu, um einen neuen anzulegen.',
    'error.drop.adoption_mismatch':
      'Diese Datei hat sich im Eingang inzwischen geändert. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
    'error.manifest.suite_unknown': OUR_FAULT,
    'error.manifest.invalid': OUR_FAULT,
    'error.manifest.mismatch': OUR_FAULT,
    'error.manifest.timestamp_out_of_range':
      'Die Uhr dieses Geräts geht falsch, deshalb wurde die Signatur abgelehnt. Stellen Sie die Uhr und versuchen Sie es noch einmal.',
    'error.upload.unsupported_content_type': OUR_FAULT,
    'error.sync.cursor_invalid': OUR_FAULT,
    'error.upload.missing_offset': OUR_FAULT,
    'error.upload.missing_checksum': OUR_FAULT,
    'error.upload.empty_chunk': OUR_FAULT,
    'error.channel.invalid': 'Dorthin kann der Server keine Nachrichten senden. Prüfen Sie die Adresse.',
    'error.channel.code_wrong': 'Das ist nicht der Code. Verwenden Sie den aus der neuesten Nachricht.',
    'error.channel.not_found': 'Diesen Eintrag gibt es nicht mehr. Laden Sie die Seite neu.',
    'error.channel.not_offered': 'Dieser Server sendet keine Nachrichten dieser Art.',
    'error.channel.rate_limited': 'Es gab zu viele Tests oder Codes.',
    'error.federation.lifetime_too_long': 'Dieser Zugang gilt höchstens 24 Stunden. Wählen Sie eine kürzere Zeit.',
    'error.request.unauthenticated': 'Sie sind nicht mehr angemeldet. Melden Sie sich wieder an.',
    'error.auth.session_expired': 'Sie wurden abgemeldet. Melden Sie sich wieder an.',
    'error.auth.recovery_invalid':
      'Das sind nicht die Wiederher\u00adstellungs\u00adwörter dieses Kontos: Sie gehören zu einer anderen E-Mail-Adresse, Sie haben seitdem neue erstellt, oder das Konto hat keine. Prüfen Sie beides.',
    'error.auth.invalid_credentials': 'Die E-Mail-Adresse oder das Passwort ist falsch. Prüfen Sie beides.',
    'error.auth.proof_invalid':
      'Der Server hat die Signatur dieser Anfrage nicht angenommen. Versuchen Sie es noch einmal.',
    'error.auth.totp_challenge_invalid':
      'Diese Anmeldung hat zu lange gedauert, oder es gab zu viele falsche Codes. Melden Sie sich noch einmal an.',
    'error.auth.totp_invalid_code':
      'Dieser Code ist falsch oder wurde schon benutzt. Warten Sie auf den nächsten. Wenn auch der falsch ist, prüfen Sie die Uhr Ihres Telefons.',
    'error.request.rate_limited':
      'Das Konto fragt zu viel auf einmal, oder es hat so viel hinzugefügt, wie an einem Tag erlaubt ist. Warten Sie einen Moment. Hilft das nicht, melden Sie sich neu an, oder versuchen Sie es morgen noch einmal.',
    'error.album.not_empty':
      'Das Album hat noch Dateien, oder ein Upload dorthin ist nicht fertig. Laden Sie die Seite neu und beenden Sie die Uploads, oder brechen Sie sie ab.',
    'error.request.limit_reached':
      'Das Konto hat die Obergrenze erreicht. Löschen Sie einige, die Sie nicht mehr brauchen.',
    'error.auth.registration_closed':
      'Dieser Server nimmt neue Konten nur mit einer Einladung an, und diese ist nicht gültig.',
    'error.account.suspended':
      'Dieses Konto ist gesperrt: Sie können Ihre Dateien ansehen und löschen, aber keine hinzufügen. Fragen Sie den Betreiber dieses Servers.',
    'error.blob.withheld':
      'Der Betreiber dieses Servers gibt diese Datei im Moment nicht heraus. Sie ist weiterhin gespeichert. Fragen Sie ihn nach dem Grund.',
    'error.album.not_available': 'Dieses Album gibt es nicht mehr. Laden Sie die Seite neu und wählen Sie ein anderes.',
    'error.device.not_authorized':
      'Dieser Browser darf keine Dateien mehr hinzufügen: Sein Signaturschlüssel wurde widerrufen. Laden Sie die Seite neu, um einen neuen anzulegen.',
    'error.drop.passphrase_required': 'Das Kennwort für den Link fehlt oder ist falsch.',
    'error.share.passphrase_required': 'Das Kennwort für die Freigabe fehlt oder ist falsch.',
    'error.drop.links_exhausted':
      'Sie haben die Höchstzahl offener Links erreicht. Widerrufen Sie einige, die Sie nicht mehr brauchen.',
    'error.quota.exceeded':
      'Ihr Speicher ist voll. Löschen Sie Dateien, die Sie nicht brauchen, und leeren Sie den Papierkorb, oder bitten Sie den Betreiber dieses Servers um mehr Platz.',
    'error.request.not_found': OUR_FAULT,
    'error.auth.session_not_found': GONE,
    'error.device.not_found': GONE,
    'error.passkey.not_found': GONE,
    'error.upload.session_not_found': 'Dieser Upload ist abgelaufen oder wurde abgebrochen. Beginnen Sie ihn neu.',
    'error.drop.link_not_found':
      'Dieser Link nimmt keine Dateien mehr an: Er ist abgelaufen, verbraucht oder widerrufen.',
    'error.drop.not_found': 'Diese Datei ist nicht mehr im Eingang: Sie wurde anderswo behalten oder verworfen.',
    'error.bin.not_found': 'Das ist nicht mehr im Papierkorb und lässt sich deshalb nicht wiederherstellen.',
    'error.asset.not_found': GONE,
    'error.storage.asset_not_found': GONE,
    'error.blob.not_found': GONE,
    'error.share.not_found': 'Diese Freigabe gibt es nicht mehr: Sie ist abgelaufen oder wurde beendet.',
    'error.request.method_not_allowed': OUR_FAULT,
    'error.request.too_slow':
      'Die Verbindung ist zu langsam oder war unterbrochen. Versuchen Sie es erneut, wenn sie besser ist.',
    'error.request.misdirected':
      'Der Server antwortet nicht unter dieser Adresse. Verwenden Sie die Adresse, die Sie vom Betreiber haben.',
    'error.auth.user_already_exists':
      'Es gibt schon ein Konto mit dieser E-Mail-Adresse. Melden Sie sich an, oder verwenden Sie eine andere.',
    'error.auth.session_bound':
      'Dieser Browser ist mit einem anderen Schlüssel angemeldet. Melden Sie sich ab und wieder an, um diesen zu verwenden.',
    'error.auth.totp_already_active':
      'Der zweite Schritt ist schon eingeschaltet. Schalten Sie ihn aus, bevor Sie ihn neu einrichten.',
    'error.auth.totp_not_pending':
      'Der zweite Schritt wird gerade nicht eingerichtet. Beginnen Sie neu. Wenn er schon eingeschaltet ist und Sie keine Ersatzcodes haben, schalten Sie ihn zuerst aus.',
    'error.auth.totp_not_enrolled': 'Der zweite Schritt ist schon ausgeschaltet.',
    'error.upload.checksum_mismatch': OTHER_FILE,
    'error.upload.offset_mismatch':
      'Der Upload hat seine Position verloren. Versuchen Sie es noch einmal: Er geht dort weiter, wo der Server aufgehört hat.',
    'error.upload.chunk_conflict': 'Die Datei wurde während des Sendens geändert. Fügen Sie sie noch einmal hinzu.',
    'error.upload.size_exceeded': 'Die Datei ist während des Sendens gewachsen. Fügen Sie sie noch einmal hinzu.',
    'error.upload.too_many_chunks': 'Der Upload wurde in zu viele Teile zerlegt. Beginnen Sie ihn neu.',
    'error.upload.session_closed': 'Dieser Upload ist schon beendet.',
    'error.upload.content_hash_mismatch': OTHER_FILE,
    'error.asset.id_taken': 'An dieser Stelle wurde inzwischen eine andere Datei gespeichert. Laden Sie die Seite neu.',
    'error.manifest.retention_too_long':
      'Die Mindestzeit, für die diese Datei gespeichert werden soll, ist länger, als dieser Server annimmt.',
    'error.asset.retained':
      'Eine Datei hier kann noch nicht gelöscht werden, weil sie für eine Mindestzeit gespeichert wurde. Nichts wurde gelöscht.',
    'error.manifest.stale':
      'Diese Datei wurde inzwischen anderswo geändert. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
    'error.drop.cap_below_use':
      'Der Link hat schon mehr verbraucht als diese Grenze, laufende Uploads mitgezählt. Wählen Sie eine größere Grenze.',
    'error.drop.cap_exhausted': 'Der Link ist voll.',
    'error.drop.inbox_full': 'Dieser Eingang ist voll: Dort warten zu viele Dateien.',
    'error.server.moved':
      'Der Server ist an eine andere Adresse umgezogen. Laden Sie diese Seite neu: Sie führt dorthin.',
    'error.request.payload_too_large': 'Das ist mehr, als der Server auf einmal annimmt.',
    'error.drop.file_too_large': 'Die Datei ist größer, als der Link erlaubt.',
    'error.upload.file_too_large': 'Die Datei ist größer, als der Server erlaubt.',
    'error.request.unsupported_media_type': OUR_FAULT,
    'error.request.range_not_satisfiable': OUR_FAULT,
    'error.request.unprocessable': OUR_FAULT,
    'error.protocol.version_unsupported': 'Der Server ist neuer als diese Seite. Laden Sie die Seite neu.',
    'error.auth.rate_limited': 'Es gab zu viele Versuche.',
    'error.drop.rate_limited': 'Es gab zu viele Versuche mit diesem Link.',
    'error.share.changed': 'Die Freigabe wurde inzwischen anderswo geändert. Versuchen Sie es noch einmal.',
    'error.share.used_up': 'Die Downloads dieser Freigabe sind aufgebraucht. Ihr Eigentümer kann weitere erlauben.',
    'error.share.rate_limited': 'Es gab zu viele falsche Kennwörter für diese Freigabe.',
    'error.request.failed': 'Der Server hatte einen Fehler. Versuchen Sie es gleich noch einmal.',
    'error.request.overloaded': 'Der Server ist gerade ausgelastet. Versuchen Sie es gleich noch einmal.',
    'error.storage.unavailable':
      'Der Server kann im Moment nichts speichern. Nichts, was bestätigt wurde, ist verloren. Versuchen Sie es später noch einmal.',
    'error.storage.full':
      'Der Server hat im Moment keinen Platz. Nichts, was bestätigt wurde, ist verloren. Versuchen Sie es später noch einmal; der Betreiber muss erst Platz schaffen.',
    'error.federation.revocations_unavailable':
      'Der Server kann das im Moment nicht beantworten. Versuchen Sie es noch einmal.',
    unknown:
      'Der Server oder etwas auf dem Weg dorthin hat eine unlesbare Antwort geschickt. Versuchen Sie es noch einmal.',
  },
  network: {
    unreachable: 'Der Server ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es noch einmal.',
    timeout: 'Der Server hat nicht rechtzeitig geantwortet. Versuchen Sie es noch einmal.',
    cut: 'Die Verbindung ist abgebrochen. Versuchen Sie es noch einmal.',
    redirected:
      'Der Server oder etwas auf dem Weg dorthin verweist auf eine andere Adresse. Diese Seite ist dem nicht gefolgt. Prüfen Sie die Adresse, oder fragen Sie den Betreiber dieses Servers.',
  },
  send: {
    server_unavailable:
      'Der Server war viele Male hintereinander nicht erreichbar. Was angekommen ist, behält er einen Tag lang. Machen Sie später weiter.',
    server_full:
      'Der Server hat keinen Platz für diese Datei: Seine Platte ist voll. Er behält nichts davon. Versuchen Sie es später, oder sagen Sie es dem Betreiber.',
    link_closed: 'Dieser Link nimmt keine Dateien an.',
    link_full: 'Der Link ist voll.',
    passphrase_refused: 'Das Kennwort für den Link fehlt oder ist falsch.',
    too_large: 'Die Datei ist größer, als der Link erlaubt.',
    owner_full: 'Der Speicher der Person, die die Dateien bekommt, ist voll.',
    inbox_full: 'Dieser Eingang ist voll: Dort warten zu viele Dateien.',
    session_unknown: 'Der Server kennt diesen Upload nicht mehr. Beginnen Sie ihn neu.',
    session_failed: OTHER_FILE,
    chunk_refused:
      'Etwas zwischen diesem Browser und dem Server blockiert selbst kleine Teile der Datei. Versuchen Sie es in einem anderen Netz.',
    file_changed: 'Die Datei wurde während des Sendens geändert. Fügen Sie sie noch einmal hinzu.',
    storage_full:
      'Ihr Speicher ist voll. Löschen Sie Dateien, die Sie nicht brauchen, leeren Sie den Papierkorb, und machen Sie dann weiter.',
    too_large_for_server: 'Die Datei ist größer, als der Server erlaubt.',
    too_many_uploads:
      'Sie haben die Höchstzahl gleichzeitiger Uploads erreicht. Warten Sie, bis einige beendet sind, und machen Sie dann weiter.',
    signed_out: 'Sie wurden abgemeldet. Melden Sie sich wieder an: Der Upload geht dort weiter, wo er aufgehört hat.',
    suspended:
      'Dieses Konto ist gesperrt, deshalb können Sie keine Dateien hinzufügen. Fragen Sie den Betreiber dieses Servers.',
    device_refused:
      'Der Signaturschlüssel dieses Browsers wurde widerrufen. Laden Sie die Seite neu und fügen Sie die Datei noch einmal hinzu.',
    album_refused: 'Dieses Album gibt es nicht mehr. Wählen Sie ein anderes.',
    asset_taken:
      'An dieser Stelle wurde inzwischen eine andere Datei gespeichert, oder die Datei wurde gelöscht. Laden Sie die Seite neu.',
    manifest_refused:
      'Der Server hat die Signatur abgelehnt. Prüfen Sie die Uhr dieses Geräts und fügen Sie die Datei noch einmal hinzu.',
    version_refused:
      'Der Server ist neuer als diese Seite. Laden Sie sie neu und fügen Sie die Datei noch einmal hinzu.',
    version_unknown:
      'Der Server nimmt nur Protokollversionen an, die diese Seite nicht kennt, deshalb wurde nichts signiert. Laden Sie die Seite neu. Hilft das nicht, fragen Sie den Betreiber dieses Servers.',
    refused: 'Der Server hat diesen Upload abgelehnt. Beginnen Sie ihn neu.',
  },
  account: {
    kdf_unknown:
      'Der Server verlangt etwas, das diese Seite nicht kennt, deshalb wurde Ihr Passwort nicht verwendet. Laden Sie die Seite neu.',
    salt_refused:
      'Die Antwort des Servers hätte Ihr Passwort geschwächt, deshalb wurde es nicht verwendet. Machen Sie nicht weiter. Fragen Sie den Betreiber dieses Servers.',
    email_malformed: 'Das ist keine einfache E-Mail-Adresse. Nichts wurde gesendet.',
    email_differs:
      'Der Server nennt für dieses Konto eine andere E-Mail-Adresse als die, mit der Sie sich angemeldet haben. Geben Sie Ihr Passwort nicht ein. Fragen Sie den Betreiber dieses Servers, aber nicht über diesen Server.',
    account_id_differs:
      'Der Server hat Ihrem Konto eine andere Nummer gegeben als bisher, deshalb hat diese Seite Sie abgemeldet. Machen Sie nicht weiter. Fragen Sie den Betreiber dieses Servers, aber nicht über diesen Server.',
    account_key_missing:
      'Der Server hat keinen Schlüssel für dieses Konto, deshalb lassen sich seine Dateien nicht öffnen. Fragen Sie den Betreiber dieses Servers.',
    account_key_unreadable:
      'Der Schlüssel vom Server wurde nicht mit Ihrem Passwort verschlüsselt. Machen Sie nicht weiter. Fragen Sie den Betreiber dieses Servers, aber nicht über diesen Server.',
    passkey_refused:
      'Dieser Passkey gehört hier zu keinem Konto: Er wurde entfernt, oder das Konto wurde wiederhergestellt oder gelöscht. Melden Sie sich mit Ihrem Passwort an und löschen Sie den Passkey auf Ihrem Gerät.',
    passkey_key_unreadable:
      'Der Schlüssel vom Server wurde nicht mit diesem Passkey verschlüsselt. Machen Sie nicht weiter. Fragen Sie den Betreiber dieses Servers, aber nicht über diesen Server.',
  },
  authenticator: {
    cancelled:
      'Kein Passkey wurde benutzt: Sie haben abgebrochen, es dauerte zu lange, oder Ihr Gerät konnte nicht prüfen, dass Sie es sind. Nichts hat sich geändert.',
    prf_missing:
      'Dieser Passkey kann anmelden, aber keine Dateien öffnen: Seinem Gerät oder Passwortmanager fehlt eine Erweiterung (PRF). Hier wurde nichts gespeichert. Löschen Sie den Passkey dort und wählen Sie einen anderen Ort dafür.',
    not_verified:
      'Das Gerät hat nicht geprüft, dass Sie es sind. Richten Sie dort eine PIN, einen Fingerabdruck oder Gesichtserkennung ein und versuchen Sie es noch einmal. Nichts hat sich geändert.',
    present_already:
      'An diesem Ort gibt es schon einen Passkey für Ihr Konto. Wählen Sie einen anderen Ort oder entfernen Sie zuerst den alten.',
    failed:
      'Der Browser konnte keinen Passkey benutzen. Nichts hat sich geändert. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
  },
  recovery: {
    not_registered: 'Diese Wörter gehören noch zu keinem Konto.',
    recovery_key_unreadable:
      'Diese Wörter öffnen dieses Konto nicht: Sie gehören zu einer anderen E-Mail-Adresse, Sie haben seitdem neue erstellt, oder das Konto hat keine.',
  },
  words: {
    count: 'Geben Sie genau 24 Wiederher\u00adstellungs\u00adwörter ein. Prüfen Sie, ob eines fehlt oder doppelt ist.',
    unknown_word: 'Ein Wort steht nicht auf der Liste. Prüfen Sie die Schreibweise.',
    checksum: 'Eines der Wörter ist falsch, oder zwei sind vertauscht. Vergleichen Sie sie mit Ihren Notizen.',
  },
  asset: {
    asset_differs:
      'Was der Server über diese Datei sagt, widerspricht ihrer Signatur oder dem, was er vorher gesagt hat. Vertrauen Sie der Datei nicht.',
    provenance_invalid: 'Die Signatur dieser Datei ist nicht gültig. Vertrauen Sie der Datei nicht.',
    device_unknown: 'Diese Datei hat ein Gerät signiert, das nicht Ihres ist. Vertrauen Sie der Datei nicht.',
    envelope_differs:
      'Was der Server über diese Datei sagt, widerspricht ihrer Signatur oder dem, was er vorher gesagt hat. Vertrauen Sie der Datei nicht.',
    key_unreadable:
      'Der Schlüssel dieser Datei lässt sich nicht öffnen. Vertrauen Sie nicht dem, was der Server dafür schickt.',
    hash_differs:
      'Der Server hat eine andere Datei geschickt, als gespeichert wurde. Löschen Sie, was davon heruntergeladen wurde.',
    metadata_differs: 'Die Beschreibung dieser Datei widerspricht ihrer Signatur. Vertrauen Sie der Datei nicht.',
  },
  share: {
    malformed: 'Das ist kein Freigabelink, oder ein Teil davon fehlt. Kopieren Sie den ganzen Link noch einmal.',
    fragment_missing: 'Der Teil des Links nach # fehlt. Kopieren Sie den ganzen Link noch einmal.',
    passphrase_missing: 'Die Freigabe öffnet sich mit einem Kennwort.',
    passphrase_wrong: 'Dieses Kennwort öffnet die Freigabe nicht.',
    index_swapped: 'Die Antwort des Servers wurde nicht für diesen Link verschlüsselt. Vertrauen Sie ihr nicht.',
    index_invalid: 'Die Freigabe lässt sich nicht lesen. Bitten Sie um eine neue.',
    index_unknown: 'Die Freigabe wurde mit einer neueren Version angelegt. Laden Sie die Seite neu.',
    asset_differs:
      'Der Server hat eine andere Datei geschickt, als geteilt wurde. Löschen Sie, was davon heruntergeladen wurde.',
    too_large: 'Das sind zu viele Dateien für eine Freigabe. Legen Sie mehrere an.',
  },
  unknownWord: (place, word) => `Wort ${place}, „${word}“, steht nicht auf der Liste. Prüfen Sie die Schreibweise.`,
  password: 'Das aktuelle Passwort ist falsch. Nichts wurde geändert.',
  answer:
    'Die Antwort des Servers ist nicht lesbar. Laden Sie die Seite neu. Wenn das nicht hilft, sagen Sie es dem Betreiber dieses Servers.',
  address: (given, found) =>
    `Sie haben ${given} geöffnet, aber dieser Server nennt sich ${found}, und seine Quittungen gelten nur dort. Von Ihrem Passwort wurde nichts gesendet. Öffnen Sie die andere Adresse, wenn Sie ihr vertrauen, oder fragen Sie den Betreiber dieses Servers.`,
  seal: BROKEN_SEAL,
  unsigned: 'Keines Ihrer Geräte hat diese Datei signiert. Sie könnte eine andere sein, als es scheint.',
  deviceRevoked:
    'Diese Datei ist von einem Gerät signiert, das Sie widerrufen haben. Sie könnte eine andere sein, als es scheint.',
  assetMove: {
    retained: 'Sie ist vor dem Löschen geschützt und kann ihr Album vorher nicht verlassen.',
    changed: 'Sie wurde anderswo geändert, während sie kopiert wurde. Verschieben Sie sie noch einmal.',
    not_verified:
      'Der Server hat nicht nachgewiesen, dass er die Kopie hat. Beide sind da; verschieben Sie sie später noch einmal.',
  },
  incomplete: 'Diese Datei ist nicht vollständig: Ihr Upload brach ab.',
  audit:
    'Der Server hat eine Quittung geschickt, die nicht gültig ist. Behalten Sie Ihre eigene Kopie und fragen Sie den Betreiber dieses Servers.',
  sourceChanged: 'Die Datei wurde geändert, während sie gelesen wurde. Wählen Sie sie noch einmal aus.',
  rolledBack:
    'Der Server führt weniger auf, als dieser Browser schon gesehen hat: Neuere Dateien oder Änderungen fehlen. Nach der Wiederherstellung einer Sicherung ist das so; fragen Sie, wer den Server betreibt. Sonst hält der Server etwas zurück.',
  acceptRollback: 'Diese Liste verwenden',
  aborted: 'Dies wurde angehalten.',
  unexpected: OUR_FAULT,
  retryAfter: (wait) => `Versuchen Sie es in ${wait} noch einmal.`,
  limit: (size) => `Höchstens ${size}.`,
  requestId: (id) => `Nummer für den Betreiber dieses Servers: ${id}`,
  retry: 'Noch einmal versuchen',
}
