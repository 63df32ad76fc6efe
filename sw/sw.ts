/** The service worker of `/app/`: registers the handlers and decides nothing (sw/README.md). */
/// <reference lib="webworker" />
import { onActivate } from './on-activate.ts'
import { onFetch } from './on-fetch.ts'
import { onInstall } from './on-install.ts'
import { onMessage } from './on-message.ts'
import { readShell } from './shell-files.ts'

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: unknown }

const shell = readShell(self.__WB_MANIFEST)
self.addEventListener('install', (event) => event.waitUntil(onInstall(shell, caches, fetch)))
self.addEventListener('activate', (event) => event.waitUntil(onActivate(shell, caches, self.clients)))
self.addEventListener('fetch', (event) => onFetch(shell, event, self.location.origin))
self.addEventListener('message', (event) => onMessage(shell, event, () => self.skipWaiting()))
