//! A headless Chromium, driven over WebDriver by its own chromedriver. Dropping the value ends
//! both.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::http::ask;
use crate::server::signal;

/// The timeout of the driver's start.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The key of element references in WebDriver.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A browser and its driver.
pub(crate) struct Browser {
    driver: Driver,
    session: String,
    /// Chromium's process id.
    chromium: Option<u64>,
}

/// A running chromedriver; its process group ends with the value.
struct Driver {
    process: Child,
    address: SocketAddr,
    /// The temporary files of both.
    _folder: TempDir,
}

impl Driver {
    fn start() -> Driver {
        let folder = tempfile::tempdir().unwrap();
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let address = free.expect("a free port");
        let process = Command::new("chromedriver")
            .arg(format!("--port={}", address.port()))
            .env("TMPDIR", folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .expect("chromedriver is installed (Debian: chromium-driver)");
        let mut driver = Driver { process, address, _folder: folder };
        driver.wait_until_ready();
        driver
    }

    fn wait_until_ready(&mut self) {
        let started = Instant::now();
        while std::net::TcpStream::connect(self.address).is_err() {
            let ended = self.process.try_wait().unwrap();
            assert!(ended.is_none(), "chromedriver ended: {ended:?}");
            assert!(started.elapsed() < TIMEOUT, "chromedriver does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn command(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
        let mut answer = ask(self.address, method, path, body).json();
        let value = answer["value"].take();
        match value["error"].as_str() {
            None => Ok(value),
            Some(error) => {
                let message = value["message"].as_str().unwrap_or_default();
                Err(format!("{error}: {}", message.lines().next().unwrap_or_default()))
            }
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        signal("KILL", &format!("-{}", self.process.id()));
        let _ = self.process.wait();
    }
}

impl Browser {
    /// Starts both.
    pub(crate) fn start() -> Browser {
        let driver = Driver::start();
        let options = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--no-first-run", "--hide-scrollbars", "--window-size=1280,900",
            ] },
            "goog:loggingPrefs": { "browser": "ALL" },
        } } });
        let begun = driver.command("POST", "/session", Some(&options));
        let begun = begun.unwrap_or_else(|why| panic!("Chromium does not start: {why}"));
        let session = begun["sessionId"].as_str().unwrap().to_string();
        let chromium = begun["capabilities"]["goog:processID"].as_u64();
        Browser { driver, session, chromium }
    }

    fn get(&self, path: &str) -> Result<Value, String> {
        self.driver.command("GET", &format!("/session/{}{path}", self.session), None)
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        self.driver.command("POST", &format!("/session/{}{path}", self.session), Some(body))
    }

    /// Opens an address and waits until it is loaded.
    pub(crate) fn open(&self, url: &str) -> Result<(), String> {
        self.post("/url", &json!({ "url": url })).map(drop)
    }

    /// Reloads the page.
    pub(crate) fn reload(&self) -> Result<(), String> {
        self.post("/refresh", &json!({})).map(drop)
    }

    /// The current address.
    pub(crate) fn address(&self) -> Result<String, String> {
        Ok(self.get("/url")?.as_str().unwrap_or_default().to_string())
    }

    /// Runs a function body in the page and awaits promises.
    pub(crate) fn run(&self, script: &str, arguments: &[Value]) -> Result<Value, String> {
        self.post("/execute/sync", &json!({ "script": script, "args": arguments }))
    }

    /// Clicks an element; it is scrolled into view and must not be covered.
    pub(crate) fn click(&self, selector: &str) -> Result<(), String> {
        let element = self.find(selector)?;
        self.post(&format!("/element/{element}/click"), &json!({})).map(drop)
    }

    /// Types into an element.
    pub(crate) fn type_into(&self, selector: &str, text: &str) -> Result<(), String> {
        let element = self.find(selector)?;
        self.post(&format!("/element/{element}/value"), &json!({ "text": text })).map(drop)
    }

    fn find(&self, selector: &str) -> Result<String, String> {
        let asked = json!({ "using": "css selector", "value": selector });
        let found = self.post("/element", &asked)?;
        Ok(found[ELEMENT].as_str().unwrap_or_default().to_string())
    }

    /// Presses keys one after another: `Tab`, `ArrowLeft`, `h`, `Shift+Tab`.
    pub(crate) fn press(&self, keys: &[&str]) -> Result<(), String> {
        let mut actions = Vec::new();
        for key in keys {
            let parts: Vec<&str> = key.split('+').map(key_code).collect();
            actions.extend(parts.iter().map(|part| json!({ "type": "keyDown", "value": part })));
            actions
                .extend(parts.iter().rev().map(|part| json!({ "type": "keyUp", "value": part })));
        }
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.post("/actions", &json!({ "actions": [keyboard] })).map(drop)
    }

    /// Sends a command of the debugging protocol.
    pub(crate) fn debug(&self, command: &str, parameters: &Value) -> Result<Value, String> {
        self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// The console entries since the last call: level and message.
    pub(crate) fn console(&self) -> Result<Vec<(String, String)>, String> {
        let entries = self.post("/se/log", &json!({ "type": "browser" }))?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        let entries = entries.as_array().cloned().unwrap_or_default();
        Ok(entries.iter().map(|entry| (text(&entry["level"]), text(&entry["message"]))).collect())
    }

    /// Saves a screenshot as a PNG file.
    pub(crate) fn screenshot(&self, file: &Path) -> Result<(), String> {
        let picture = self.get("/screenshot")?;
        let bytes = from_base64(picture.as_str().unwrap_or_default());
        fs::write(file, bytes).map_err(|why| format!("{}: {why}", file.display()))
    }

    /// Closes the tab, which stops its page, and opens a new one.
    pub(crate) fn new_tab(&self) -> Result<(), String> {
        let tab = self.post("/window/new", &json!({ "type": "tab" }))?;
        let path = format!("/session/{}/window", self.session);
        self.driver.command("DELETE", &path, None)?;
        self.post("/window", &json!({ "handle": tab["handle"] })).map(drop)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.driver.command("DELETE", &format!("/session/{}", self.session), None);
        // It has ended with its session, unless it hangs.
        let name = |id| fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
        if let Some(chromium) = self.chromium.filter(|id| name(*id).starts_with("chrom")) {
            signal("KILL", &chromium.to_string());
        }
    }
}

/// The WebDriver code of a key.
fn key_code(name: &str) -> &str {
    match name {
        "Tab" => "\u{e004}",
        "Enter" => "\u{e007}",
        "Shift" => "\u{e008}",
        "Alt" => "\u{e00a}",
        "Escape" => "\u{e00c}",
        "Space" => " ",
        "End" => "\u{e010}",
        "Home" => "\u{e011}",
        "ArrowLeft" => "\u{e012}",
        "ArrowUp" => "\u{e013}",
        "ArrowRight" => "\u{e014}",
        "ArrowDown" => "\u{e015}",
        letter => letter,
    }
}

/// Decodes Base64.
fn from_base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u8> = text.bytes().filter_map(value).collect();
    let group = |four: &[u8]| {
        let bits = four.iter().fold(0_u32, |bits, digit| bits << 6 | u32::from(*digit));
        let bits = bits << (6 * (4 - four.len()));
        let [_, bytes @ ..] = bits.to_be_bytes();
        bytes[..four.len() - 1].to_vec()
    };
    digits.chunks(4).flat_map(group).collect()
}
