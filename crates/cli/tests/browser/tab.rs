//! A fresh browser tab for a test, and the API for comparison. A condition that is not met within
//! [`TIMEOUT`] fails the test.

use std::cell::Cell;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::driver::Browser;
use crate::http::{Answer, ask, escaped};
use crate::server::Server;

/// Far more than any step takes, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A fresh tab.
pub(crate) struct Tab<'a> {
    browser: &'a Browser,
    pub(crate) server: &'a Server,
    /// The name of the test, the prefix of its screenshots.
    name: &'static str,
    pictures: PathBuf,
    refusals_expected: Cell<bool>,
}

/// An emulated device or preference.
#[derive(Clone, Copy)]
pub(crate) enum Emulation {
    None,
    Dark,
    ReducedMotion,
    /// A phone, 360 pixels wide.
    Phone,
    /// A window with space for a long panel.
    Tall,
    /// A window of 1280 by 850 pixels at double scale.
    Zoomed,
}

impl<'a> Tab<'a> {
    /// Opens a tab and clears the browser's storage.
    pub(crate) fn open_new(browser: &'a Browser, server: &'a Server, name: &'static str) -> Self {
        let pictures = pictures_folder();
        std::fs::create_dir_all(&pictures).unwrap();
        for old in std::fs::read_dir(&pictures).unwrap().flatten() {
            if old.file_name().to_string_lossy().starts_with(&format!("{name}-")) {
                std::fs::remove_file(old.path()).unwrap();
            }
        }
        let refusals_expected = Cell::new(false);
        let tab = Tab { browser, server, name, pictures, refusals_expected };
        tab.expect(browser.new_tab(), "open a tab");
        tab.forget();
        // Console entries from here on belong to this tab.
        tab.expect(browser.console(), "empty the console");
        tab
    }

    /// Clears cookies and storage, so that the next page is a new session.
    pub(crate) fn forget(&self) {
        let origin = format!("http://{}", self.server.address);
        let all = json!({ "origin": origin, "storageTypes": "all" });
        self.expect(self.browser.debug("Storage.clearDataForOrigin", &all), "forget");
    }

    #[track_caller]
    fn expect<T>(&self, result: Result<T, String>, what: &str) -> T {
        result.unwrap_or_else(|why| panic!("cannot {what}: {why}"))
    }

    /// Opens a page of the app.
    #[track_caller]
    pub(crate) fn open(&self, path: &str) {
        let url = format!("http://{}{path}", self.server.address);
        self.expect(self.browser.open(&url), &format!("open {path}"));
    }

    /// Opens a page with the token, as the link that the server prints.
    #[track_caller]
    pub(crate) fn enter(&self, path: &str) {
        let separator = if path.contains('?') { '&' } else { '?' };
        self.open(&format!("{path}{separator}token={}", self.server.token));
        assert_eq!(self.address(), path, "the token does not stay in the address");
    }

    /// Opens the play page of a game with a query.
    #[track_caller]
    pub(crate) fn open_table(&self, game: &str, query: &[(&str, &str)]) {
        let pairs = query.iter().map(|(key, value)| format!("{key}={}", escaped(value)));
        self.open(&format!("/play/{game}?{}", pairs.collect::<Vec<_>>().join("&")));
        self.until("a board", "document.querySelector('#board [data-cell]')");
    }

    #[track_caller]
    pub(crate) fn reload(&self) {
        self.expect(self.browser.reload(), "load the page again");
    }

    /// The current address without the origin.
    #[track_caller]
    pub(crate) fn address(&self) -> String {
        let address = self.expect(self.browser.address(), "tell the address");
        let origin = format!("http://{}", self.server.address);
        address.strip_prefix(&origin).unwrap_or(&address).to_string()
    }

    /// The value of an expression in the page.
    #[track_caller]
    pub(crate) fn value(&self, expression: &str) -> Value {
        let script = format!("return ({expression});");
        self.expect(self.browser.run(&script, &[]), expression)
    }

    /// Waits until an expression is true in the page; returns its value.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, expression: &str) -> Value {
        let script = format!("return ({expression});");
        let started = Instant::now();
        loop {
            let found = self.browser.run(&script, &[]);
            if let Ok(value) = &found
                && !matches!(value, Value::Null | Value::Bool(false))
                && *value != json!(0)
                && *value != json!("")
            {
                return value.clone();
            }
            if started.elapsed() > TIMEOUT {
                let said = self.browser.run("return document.body.innerText;", &[]);
                let said = said.ok().and_then(|said| said.as_str().map(str::to_string));
                panic!(
                    "{what} did not come about ({found:?}); the page says:\n{}",
                    said.unwrap_or_default()
                );
            }
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Waits for a text in `#status`.
    #[track_caller]
    pub(crate) fn until_status(&self, words: &str) {
        let has = format!(
            "document.querySelector('#status')?.textContent.toLowerCase().includes({})",
            json!(words.to_lowercase())
        );
        self.until(&format!("status '{words}'"), &has);
    }

    #[track_caller]
    pub(crate) fn click(&self, selector: &str) {
        let is_there = format!(
            "[...document.querySelectorAll({})].some((found) => !found.disabled)",
            json!(selector)
        );
        self.until(selector, &is_there);
        // A new element may still move or be redrawn, so retry.
        let started = Instant::now();
        while let Err(why) = self.browser.click(selector) {
            assert!(started.elapsed() < Duration::from_secs(10), "cannot click {selector}: {why}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    #[track_caller]
    pub(crate) fn click_cell(&self, cell: u64) {
        self.click(&format!("#board [data-cell=\"{cell}\"]"));
    }

    #[track_caller]
    pub(crate) fn type_into(&self, selector: &str, text: &str) {
        self.until(selector, &format!("document.querySelector({})", json!(selector)));
        self.expect(self.browser.type_into(selector, text), &format!("type into {selector}"));
    }

    /// Sets the value of a field, as by pasting.
    #[track_caller]
    pub(crate) fn paste_into(&self, selector: &str, text: &str) {
        self.until(selector, &format!("document.querySelector({})", json!(selector)));
        let script = "const field = document.querySelector(arguments[0]);
             field.focus(); field.value = arguments[1];
             field.dispatchEvent(new Event('input', { bubbles: true }));
             field.dispatchEvent(new Event('change', { bubbles: true }));";
        let arguments = [json!(selector), json!(text)];
        self.expect(self.browser.run(script, &arguments), &format!("paste into {selector}"));
    }

    /// Selects an option of a `<select>`.
    #[track_caller]
    pub(crate) fn choose(&self, selector: &str, value: &str) {
        self.paste_into(selector, value);
        let chosen = self.value(&format!(
            "document.querySelector({})?.value ?? {}",
            json!(selector),
            json!(value)
        ));
        assert_eq!(chosen, value, "{selector} has no such choice");
    }

    #[track_caller]
    pub(crate) fn press(&self, keys: &[&str]) {
        self.expect(self.browser.press(keys), &format!("press {keys:?}"));
    }

    /// The texts of all matching elements.
    #[track_caller]
    pub(crate) fn texts(&self, selector: &str) -> Vec<String> {
        let all = format!(
            "[...document.querySelectorAll({})].map((found) => found.textContent.trim())",
            json!(selector)
        );
        let texts = self.value(&all);
        texts.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_string()).collect()
    }

    #[track_caller]
    pub(crate) fn text(&self, selector: &str) -> String {
        self.texts(selector).into_iter().next().unwrap_or_else(|| panic!("there is no {selector}"))
    }

    /// The number of matching elements.
    #[track_caller]
    pub(crate) fn count(&self, selector: &str) -> u64 {
        let all = format!("document.querySelectorAll({}).length", json!(selector));
        self.value(&all).as_u64().unwrap()
    }

    /// The numbers in an attribute of all matching elements, such as `data-value`.
    #[track_caller]
    pub(crate) fn numbers(&self, selector: &str, attribute: &str) -> Vec<f64> {
        let all = format!(
            "[...document.querySelectorAll({})].map((found) => found.getAttribute({}))",
            json!(selector),
            json!(attribute)
        );
        let values = self.value(&all);
        let texts = values.as_array().unwrap().iter().filter_map(Value::as_str);
        texts.filter_map(|text| text.parse().ok()).collect()
    }

    /// Emulates a device or preference until the tab closes.
    pub(crate) fn emulate(&self, emulation: Emulation) {
        let feature =
            |name: &str, value: &str| json!({ "features": [{ "name": name, "value": value }] });
        let (command, parameters) = match emulation {
            Emulation::None => ("Emulation.setEmulatedMedia", json!({ "features": [] })),
            Emulation::Dark => {
                ("Emulation.setEmulatedMedia", feature("prefers-color-scheme", "dark"))
            }
            Emulation::ReducedMotion => {
                ("Emulation.setEmulatedMedia", feature("prefers-reduced-motion", "reduce"))
            }
            Emulation::Tall => (
                "Emulation.setDeviceMetricsOverride",
                json!({ "width": 1280, "height": 950, "deviceScaleFactor": 1, "mobile": false }),
            ),
            Emulation::Zoomed => (
                "Emulation.setDeviceMetricsOverride",
                json!({ "width": 640, "height": 425, "deviceScaleFactor": 2, "mobile": false }),
            ),
            Emulation::Phone => (
                "Emulation.setDeviceMetricsOverride",
                json!({ "width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": true }),
            ),
        };
        self.expect(self.browser.debug(command, &parameters), command);
    }

    /// Blocks requests by URL pattern until the tab closes.
    pub(crate) fn block(&self, pattern: &str) {
        self.expect(self.browser.debug("Network.enable", &json!({})), "watch the network");
        let blocked = json!({ "urls": [pattern] });
        self.expect(self.browser.debug("Network.setBlockedURLs", &blocked), "block the network");
    }

    /// Saves a screenshot.
    pub(crate) fn picture(&self, label: &str) {
        let file = self.pictures.join(format!("{}-{label}.png", self.name));
        self.expect(self.browser.screenshot(&file), "take a picture");
    }

    /// Allows console errors, because the test expects refused requests.
    pub(crate) fn expect_refusals(&self) {
        self.refusals_expected.set(true);
    }

    pub(crate) fn refusals_expected(&self) -> bool {
        self.refusals_expected.get()
    }

    /// The errors of the console, and all of its entries.
    pub(crate) fn console(&self) -> (Vec<String>, Vec<String>) {
        let entries = self.browser.console().unwrap_or_default();
        let shown = |(level, message): &(String, String)| format!("{level}: {message}");
        let errors = entries.iter().filter(|(level, _)| level == "SEVERE").map(shown).collect();
        (errors, entries.iter().map(shown).collect())
    }

    /// Sends an API request for JSON.
    #[track_caller]
    pub(crate) fn api(&self, path: &str, query: &[(&str, &str)]) -> Value {
        let answer = self.ask(path, query);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    /// Sends an API request.
    #[track_caller]
    pub(crate) fn ask(&self, path: &str, query: &[(&str, &str)]) -> Answer {
        let pairs = query.iter().map(|(key, value)| format!("{key}={}", escaped(value)));
        let query = pairs.collect::<Vec<_>>().join("&");
        let path = if query.is_empty() { path.to_string() } else { format!("{path}?{query}") };
        ask(self.server.address, "GET", &path, None)
    }

    #[track_caller]
    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        let answer = ask(self.server.address, "POST", path, Some(body));
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }
}

/// The folder of screenshots: in the build folder by default.
fn pictures_folder() -> PathBuf {
    match std::env::var_os("TESUJI_SCREENSHOTS") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env!("CARGO_TARGET_TMPDIR")).with_file_name("screenshots"),
    }
}
