//! API errors: a status and `{"error": "one line"}`.

use std::any::Any;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tesuji_app::PositionViewError;
use tesuji_games::SpecError;
use tesuji_store::StoreError;

/// Why a request failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct ApiError {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> ApiError {
        let message: String = message.into();
        ApiError { status, message: message.split_whitespace().collect::<Vec<_>>().join(" ") }
    }

    /// The request is invalid.
    pub(crate) fn bad(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, message)
    }

    /// The resource does not exist.
    pub(crate) fn missing(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, message)
    }

    /// The request conflicts with the current state.
    pub(crate) fn conflict(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::CONFLICT, message)
    }

    /// The client may not do this.
    pub(crate) fn forbidden(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::FORBIDDEN, message)
    }

    /// The client exceeded a limit.
    pub(crate) fn too_many(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, message)
    }

    /// The server is overloaded or a service is unavailable.
    pub(crate) fn busy(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, message)
    }

    /// The server failed.
    pub(crate) fn internal(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(json!({ "error": self.message }))).into_response();
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            response.headers_mut().insert("retry-after", axum::http::HeaderValue::from_static("2"));
        }
        response
    }
}

impl From<SpecError> for ApiError {
    fn from(error: SpecError) -> ApiError {
        ApiError::bad(error.to_string())
    }
}

impl From<PositionViewError> for ApiError {
    fn from(error: PositionViewError) -> ApiError {
        match error {
            PositionViewError::GameOver
            | PositionViewError::Player(_)
            | PositionViewError::Unsolved(_) => ApiError::conflict(error.to_string()),
            PositionViewError::Spec(_) | PositionViewError::InvalidPosition(_) => {
                ApiError::bad(error.to_string())
            }
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> ApiError {
        ApiError::internal(error.to_string())
    }
}

/// The error for a known path with a wrong method.
pub(crate) async fn method_not_allowed() -> ApiError {
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method not allowed; see /api/openapi.json")
}

/// The response after a panic of a handler; the server keeps running.
pub(crate) fn after_panic(_: Box<dyn Any + Send + 'static>) -> Response {
    ApiError::internal("internal server error; retry, the game is not lost").into_response()
}
