'use strict';
// Logs on to a server of ours as the npm package steam-user does, and off after a few heartbeats. Nothing of the
// package is edited: two functions are replaced from outside, the session key's (encrypted to our key, and told) and
// the directory's; with a token also webLogOn, which would go to the web. Input: JSON in argv[2]: {type, endpoint,
// publicKey, heartbeats, refreshToken or nothing for an anonymous logon}. Output: one JSON line.
const crypto = require('crypto');

const config = JSON.parse(process.argv[2]);
const told = {sent: [], heartbeats: 0};

const steamCrypto = require('@doctormckay/steam-crypto');
steamCrypto.generateSessionKey = (nonce) => {
	const plain = crypto.randomBytes(32);
	told.sessionKey = plain.toString('hex');
	return {plain, encrypted: crypto.publicEncrypt(config.publicKey, Buffer.concat([plain, nonce]))};
};

const SteamUser = require('steam-user');
const user = new SteamUser({autoRelogin: false, dataDirectory: null, protocol: SteamUser.EConnectionProtocol.Auto});
user._apiRequest = async (method, service, call) => {
	if (call !== 'GetCMListForConnect') {
		throw new Error(`no ${service}/${call} here`);
	}
	const server = {endpoint: config.endpoint, legacy_endpoint: config.endpoint, type: config.type, realm: 'steamglobal',
		dc: 'box', load: '1', wtd_load: '1'};
	return {response: {success: '1', serverlist: {0: server}}};
};

// What it sends, by number; it is logged off after so many heartbeats.
const send = user._send;
user._send = function(emsg, ...rest) {
	const number = typeof emsg === 'object' ? emsg.msg : emsg;
	told.sent.push(number);
	const done = send.call(this, emsg, ...rest);
	if (number === SteamUser.EMsg.ClientHeartBeat && ++told.heartbeats === config.heartbeats) {
		user.logOff();
	}
	return done;
};

user.on('loggedOn', (details) => {
	told.eresult = details.eresult;
	told.heartbeatSeconds = details.heartbeat_seconds;
	told.steamId = user.steamID.getSteamID64();
	told.anonymous = user.steamID.type === 10;
	told.publicIp = user.publicIP;
	told.cellId = user.cellID;
});
user.on('error', (error) => finish(`error: ${error.message}`));
user.on('disconnected', (eresult, message) => finish(`disconnected: ${message}`));
setTimeout(() => finish('timed out'), 60000).unref();

function finish(how) {
	told.end = how;
	process.stdout.write(JSON.stringify(told) + '\n', () => process.exit(0));
}

user.webLogOn = () => {};
user.logOn(config.refreshToken ? {refreshToken: config.refreshToken} : {anonymous: true});
